"""
What a JSON schema for structured output may say.

The provider compiles the schema into a grammar, so it takes a part of JSON Schema only: closed objects, no bounds,
no recursion, few optionals and unions. A schema that pydantic made is refused here exactly where the provider would
refuse it. Source: the provider's page on structured outputs and the SDK's `transform_schema`.
"""

import re
from collections.abc import Mapping
from typing import Any

from ella.offline.errors import refuse

MAX_OPTIONAL = 24
MAX_UNIONS = 16

_ANYWHERE = {"title", "description", "default", "$defs", "definitions", "$schema", "$id"}
_OF_TYPE: dict[str, set[str]] = {
    "object": {"properties", "required", "additionalProperties"},
    "array": {"items", "minItems"},
    "string": {"format", "pattern"},
    "integer": set(),
    "number": set(),
    "boolean": set(),
    "null": set(),
}
_STRING_FORMATS = {"date-time", "time", "date", "duration", "email", "hostname", "uri", "ipv4", "ipv6", "uuid", "text"}
_PATTERN_NOT_SUPPORTED = re.compile(r"\(\?(?!:)|\\[bB1-9]")


def check_schema(path: str, schema: Any) -> None:
    """Refuse a schema the provider could not compile."""
    _Walk(path, schema).check()


class _Walk:
    """One pass over one schema: its definitions, and what was counted on the way."""

    def __init__(self, path: str, schema: Any) -> None:
        if not isinstance(schema, dict):
            refuse(f"{path}: Input should be an object")
        self.path = path
        self.root = schema
        self.definitions: dict[str, Any] = {}
        for key in ("$defs", "definitions"):
            for name, definition in (schema.get(key) or {}).items():
                self.definitions[f"#/{key}/{name}"] = definition
        self.optional = 0
        self.unions = 0

    def check(self) -> None:
        self._visit(self.root, ())
        if self.optional > MAX_OPTIONAL:
            self._refuse(
                f"Schema contains too many optional parameters ({self.optional}), which would make grammar "
                f"compilation inefficient. Reduce the number of optional parameters (limit: {MAX_OPTIONAL})."
            )
        if self.unions > MAX_UNIONS:
            self._refuse(
                f"Schema contains too many parameters with union types ({self.unions}). "
                f"Reduce the number of nullable or union-typed parameters (limit: {MAX_UNIONS})."
            )

    def _refuse(self, message: str) -> None:
        refuse(f"{self.path}: {message}")

    def _visit(self, node: Any, trail: tuple[str, ...]) -> None:
        if not isinstance(node, dict):
            self._refuse("Every schema should be an object")
        if "$ref" in node:
            self._follow(node, trail)
            return
        if "enum" in node or "const" in node:
            self._check_literals(node)
            return
        for key in ("anyOf", "allOf"):
            if key in node:
                self._check_alternatives(node, key, trail)
                return
        self._check_typed(node, trail)

    def _follow(self, node: Mapping[str, Any], trail: tuple[str, ...]) -> None:
        reference = node["$ref"]
        if reference not in self.definitions:
            self._refuse(f"$ref '{reference}' does not name a definition of this schema")
        if reference in trail:
            self._refuse(f"Recursive schemas are not supported: '{reference}' refers to itself")
        self._only(node, {"$ref"}, "reference")
        self._visit(self.definitions[reference], (*trail, reference))

    def _check_literals(self, node: Mapping[str, Any]) -> None:
        self._only(node, {"enum", "const", "type"}, "enum")
        values = node["enum"] if "enum" in node else [node["const"]]
        if not isinstance(values, list) or not values:
            self._refuse("'enum' should be a non-empty list")
        if any(isinstance(value, dict | list) for value in values):
            self._refuse("'enum' and 'const' take strings, numbers, booleans and null only")

    def _check_alternatives(self, node: Mapping[str, Any], key: str, trail: tuple[str, ...]) -> None:
        self._only(node, {key}, key)
        if key == "anyOf":
            self.unions += 1
        branches = node[key]
        if not isinstance(branches, list) or not branches:
            self._refuse(f"'{key}' should be a non-empty list")
        for branch in branches:
            if key == "allOf" and "$ref" in branch:
                self._refuse("'allOf' with '$ref' is not supported")
            self._visit(branch, trail)

    def _check_typed(self, node: Mapping[str, Any], trail: tuple[str, ...]) -> None:
        kinds = node.get("type")
        if isinstance(kinds, list):
            self.unions += 1
        else:
            kinds = [kinds]
        if not kinds or any(kind not in _OF_TYPE for kind in kinds):
            self._refuse(f"Unsupported schema: 'type' should be one of {', '.join(_OF_TYPE)}, not {node.get('type')!r}")
        allowed: set[str] = {"type"}.union(*(_OF_TYPE[kind] for kind in kinds))
        self._only(node, allowed, "/".join(kinds))
        if "object" in kinds:
            self._check_object(node, trail)
        if "array" in kinds:
            if node.get("minItems", 0) not in (0, 1):
                self._refuse("For 'array' type, 'minItems' values other than 0 or 1 are not supported")
            if "items" in node:
                self._visit(node["items"], trail)
        if "format" in node and node["format"] not in _STRING_FORMATS:
            self._refuse(f"For 'string' type, format '{node['format']}' is not supported")
        if _PATTERN_NOT_SUPPORTED.search(str(node.get("pattern", ""))):
            self._refuse(
                "For 'string' type, 'pattern' does not support look-around, back-references or word boundaries"
            )

    def _check_object(self, node: Mapping[str, Any], trail: tuple[str, ...]) -> None:
        if node.get("additionalProperties") is not False:
            self._refuse("For 'object' type, 'additionalProperties' must be explicitly set to false")
        properties = node.get("properties", {})
        required = node.get("required", [])
        if not isinstance(properties, dict) or not isinstance(required, list):
            self._refuse("For 'object' type, 'properties' should be an object and 'required' a list")
        for name in required:
            if name not in properties:
                self._refuse(f"For 'object' type, required property '{name}' is not defined")
        self.optional += sum(name not in required for name in properties)
        for child in properties.values():
            self._visit(child, trail)

    def _only(self, node: Mapping[str, Any], allowed: set[str], kind: str) -> None:
        strange = sorted(set(node) - allowed - _ANYWHERE)
        if strange:
            self._refuse(f"For '{kind}' type, properties {', '.join(strange)} are not supported")
