"""What the stand-in says: a pure function of the request, so that whatever it seems to know was in the prompt; it must never know anything else."""

import json
from pathlib import Path
from typing import Any

_PLAIN_REPLY = (Path(__file__).parent / "plain_reply.txt").read_text(encoding="utf-8").strip()


def answer(request: dict[str, Any]) -> str:
    """Return the reply text to a validated Messages request; JSON text valid for the schema when it asks for one."""
    output_format = (request.get("output_config") or {}).get("format")
    if not output_format:
        return _PLAIN_REPLY
    schema = output_format["schema"]
    definitions = {**schema.get("definitions", {}), **schema.get("$defs", {})}
    return json.dumps(_smallest(schema, definitions), ensure_ascii=False)


def _smallest(schema: dict[str, Any], definitions: dict[str, Any]) -> Any:
    """The smallest value the schema allows: required properties only, empty lists, first choices."""
    if "$ref" in schema:
        return _smallest(definitions[schema["$ref"].rsplit("/", 1)[-1]], definitions)
    if "const" in schema:
        return schema["const"]
    if "enum" in schema:
        return schema["enum"][0]
    if "anyOf" in schema:
        return _smallest(schema["anyOf"][-1], definitions)
    kind = schema.get("type", "object")
    if isinstance(kind, list):
        kind = kind[-1]
    if kind == "object":
        properties = schema.get("properties", {})
        return {name: _smallest(properties[name], definitions) for name in schema.get("required", [])}
    if kind == "array":
        return [_smallest(schema["items"], definitions)] * int(schema.get("minItems", 0))
    return {"string": "", "integer": 0, "number": 0, "boolean": False, "null": None}[kind]
