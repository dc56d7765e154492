"""
A Pydantic model's JSON schema as the provider takes it for structured output: closed objects, everything required, no
bounds, no defaults, no recursion.

Bounds are checked when the answer is read, item by item (structured.py): a broken one costs that item and not the
paid reply. A schema is part of the cached prefix and is kept by the provider, so it must be the same for everybody
and hold nothing about anybody.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any, Final

from pydantic import BaseModel

# What the provider understands; everything else Pydantic writes (title, default, format, minLength, maximum, pattern
# …) is left out.
_KEPT: Final = frozenset({"type", "enum", "const", "description", "$ref"})


@cache
def output_schema_of(model: type[BaseModel]) -> dict[str, Any]:
    """
    The schema for `output_config.format`. Shared between callers: do not change it. Raises TypeError for a model that
    refers to itself, or that has a part without a type.
    """
    raw = model.model_json_schema()
    definitions: dict[str, Any] = raw.get("$defs", {})
    _refuse_recursion(definitions)
    schema = _strict(raw, model.__name__)
    if definitions:
        schema["$defs"] = {name: _strict(part, name) for name, part in sorted(definitions.items())}
    return schema


def _strict(part: Mapping[str, Any], where: str) -> dict[str, Any]:
    kept: dict[str, Any] = {key: value for key, value in part.items() if key in _KEPT}
    if "anyOf" in part:
        kept["anyOf"] = [_strict(variant, where) for variant in part["anyOf"]]
    if part.get("type") == "object":
        properties: Mapping[str, Any] = part.get("properties") or {}
        if not properties:
            # An open mapping would need additionalProperties, which the provider refuses.
            raise TypeError(f"{where}: an object needs named properties")
        kept["properties"] = {name: _strict(value, f"{where}.{name}") for name, value in properties.items()}
        kept["required"] = list(properties)
        kept["additionalProperties"] = False
    elif part.get("type") == "array":
        kept["items"] = _strict(part.get("items") or {}, f"{where}[]")
    if not kept.keys() & {"type", "enum", "const", "anyOf", "$ref"}:
        raise TypeError(f"{where}: no type that the provider would understand")
    return kept


def _refuse_recursion(definitions: Mapping[str, Any]) -> None:
    refers_to = {name: _references(part) for name, part in definitions.items()}
    for start in refers_to:
        reached: set[str] = set()
        ahead = list(refers_to[start])
        while ahead:
            name = ahead.pop()
            if name == start:
                raise TypeError(f"{start} refers to itself; the provider takes no recursive schema")
            if name not in reached:
                reached.add(name)
                ahead.extend(refers_to.get(name, ()))


def _references(part: object) -> set[str]:
    if isinstance(part, Mapping):
        own = {str(part["$ref"]).rpartition("/")[2]} if "$ref" in part else set()
        return own.union(*(_references(value) for value in part.values()))
    if isinstance(part, list):
        return set().union(*(_references(value) for value in part))
    return set()
