"""
Makes a value valid for a JSON schema: the smallest one there is, or the nearest one to what was read. It knows the
part of JSON Schema that structured output allows.
"""

from __future__ import annotations

from typing import Any

_DEEPEST = 12
_MISSING = object()


class Misfit(Exception):
    """A value that cannot be made to fit without inventing something."""


def smallest(schema: dict[str, Any], root: dict[str, Any], depth: int = 0) -> Any:
    """
    The smallest value `schema` allows. References are looked up in `root`; raises Misfit for a schema that never
    ends.
    """
    if depth > _DEEPEST:
        raise Misfit("the schema never ends")
    schema = resolved(schema, root)
    if "const" in schema:
        return schema["const"]
    if schema.get("enum"):
        return schema["enum"][0]
    for choice in ("anyOf", "oneOf"):
        if schema.get(choice):
            values = [smallest(option, root, depth + 1) for option in schema[choice]]
            return min(values, key=lambda value: (value is not None, len(repr(value))))
    kind = schema.get("type", "object" if "properties" in schema else "null")
    kind = kind[-1] if isinstance(kind, list) else kind
    if kind == "object":
        properties = schema.get("properties", {})
        return {name: smallest(properties.get(name, {}), root, depth + 1) for name in schema.get("required", [])}
    if kind == "array":
        return [smallest(schema.get("items", {}), root, depth + 1) for _ in range(int(schema.get("minItems", 0)))]
    if kind == "string":
        return "-" * int(schema.get("minLength", 0))
    if kind in {"integer", "number"}:
        return max(schema.get("minimum", 0), 0)
    return False if kind == "boolean" else None


def fitted(value: Any, schema: dict[str, Any], root: dict[str, Any]) -> Any:
    """
    `value` made to fit `schema`: unknown properties dropped, missing ones filled with the smallest value, items that
    cannot fit left out of their list.

    Raises Misfit when the value itself cannot fit.
    """
    schema = resolved(schema, root)
    for choice in ("anyOf", "oneOf"):
        if choice in schema:
            return _any_of(value, schema[choice], root)
    if "enum" in schema and value not in schema["enum"]:
        raise Misfit(f"{value!r} is none of {schema['enum']}")
    if isinstance(value, dict):
        return _object(value, schema, root)
    if isinstance(value, list):
        return _array(value, schema, root)
    if not _is(value, schema.get("type")):
        raise Misfit(f"{value!r} is no {schema.get('type')}")
    return value


def resolved(schema: dict[str, Any], root: dict[str, Any]) -> dict[str, Any]:
    """`schema` itself, or what its reference inside `root` leads to."""
    for _ in range(_DEEPEST):
        reference = schema.get("$ref")
        if reference is None:
            break
        found: Any = root
        for step in str(reference).removeprefix("#/").split("/"):
            found = found.get(step, {}) if isinstance(found, dict) else {}
        schema = found
    for part in schema.get("allOf", ()):
        schema = {**resolved(part, root), **{key: value for key, value in schema.items() if key != "allOf"}}
    return schema


def _any_of(value: Any, options: list[dict[str, Any]], root: dict[str, Any]) -> Any:
    for option in options:
        try:
            return fitted(value, option, root)
        except Misfit:
            continue
    raise Misfit(f"{value!r} fits none of the choices")


def _object(value: dict[str, Any], schema: dict[str, Any], root: dict[str, Any]) -> dict[str, Any]:
    if not _is(value, schema.get("type", "object")):
        raise Misfit("no object is wanted here")
    kept: dict[str, Any] = {}
    for name, wanted in schema.get("properties", {}).items():
        given = value.get(name, _MISSING)
        if given is not _MISSING:
            kept[name] = fitted(given, wanted, root)
        elif name in schema.get("required", []):
            kept[name] = smallest(wanted, root)
    return kept


def _array(value: list[Any], schema: dict[str, Any], root: dict[str, Any]) -> list[Any]:
    if not _is(value, schema.get("type", "array")):
        raise Misfit("no list is wanted here")
    kept = []
    for item in value:
        try:
            kept.append(fitted(item, schema.get("items", {}), root))
        except Misfit:
            continue
    return kept


def _is(value: Any, kind: str | list[str] | None) -> bool:
    if kind is None:
        return True
    names = {
        "object": isinstance(value, dict),
        "array": isinstance(value, list),
        "string": isinstance(value, str),
        "boolean": isinstance(value, bool),
        "integer": isinstance(value, int) and not isinstance(value, bool),
        "number": isinstance(value, int | float) and not isinstance(value, bool),
        "null": value is None,
    }
    return any(names.get(each, False) for each in ([kind] if isinstance(kind, str) else kind))
