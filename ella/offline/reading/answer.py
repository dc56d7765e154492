"""
What the stand-in answers to a request: a pure function of its text. A schema is answered with JSON that fits it,
anything else with a reply of Ella's.
"""

from __future__ import annotations

import json
from typing import Any

from ella.offline.reading.extraction import SECTIONS, read_exchange
from ella.offline.reading.prompt import parse, texts
from ella.offline.reading.reply import reply_to
from ella.offline.reading.schema import Misfit, fitted, smallest


def answer(request: dict[str, Any]) -> str:
    """
    The text of the reply to a validated `/v1/messages` body.

    With `output_config.format` it is JSON valid for that schema: the reading of an exchange when the schema has its
    sections, the smallest value there is otherwise.
    """
    wanted = (request.get("output_config") or {}).get("format")
    if not wanted:
        return _encodable(reply_to(parse(request)))
    schema = wanted["schema"]
    return json.dumps(_structured(request, schema), ensure_ascii=False)


def _structured(request: dict[str, Any], schema: dict[str, Any]) -> Any:
    if set(SECTIONS) <= set(schema.get("properties", {})):
        asked = [message for message in request.get("messages") or () if message.get("role") == "user"]
        document = "\n".join(texts(asked[-1].get("content"))) if asked else ""
        try:
            return fitted(read_exchange(document), schema, schema)
        except Misfit:
            pass  # the sections bear other meanings here: answer as to any schema
    return smallest(schema, schema)


def _encodable(text: str) -> str:
    """Without what cannot travel as UTF-8: a lone surrogate of the person's name must not break the wire."""
    return text.encode("utf-8", "replace").decode("utf-8")
