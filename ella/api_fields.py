"""
What every request body goes through before a serializer sees it, and what every serializer of the API refuses.

One door for the whole kind: text that no database here can hold (NUL, lone surrogates) is refused while the body is
read, in whatever field it stands, so no serializer can forget it.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping
from typing import IO, Any, NoReturn

from django.conf import settings
from rest_framework import serializers
from rest_framework.exceptions import ErrorDetail, ParseError, ValidationError
from rest_framework.parsers import JSONParser
from rest_framework.settings import api_settings

from ella.errors import BodyTooLarge


class CleanJSONParser(JSONParser):
    """
    JSON as RFC 8259 has it: UTF-8, finite numbers, and no deeper than Python can follow.

    Raises ParseError for what is no JSON, BodyTooLarge above DATA_UPLOAD_MAX_MEMORY_SIZE (which Django itself applies
    to forms only), ValidationError naming the field for text that cannot be stored.
    """

    def parse(
        self, stream: IO[bytes], media_type: str | None = None, parser_context: Mapping[str, Any] | None = None
    ) -> Any:
        text = _read_text(stream)
        try:
            data = json.loads(text, parse_constant=_refuse_number, parse_float=_finite)
        except RecursionError as exc:
            raise ParseError("JSON parse error - nested too deeply.") from exc
        except json.JSONDecodeError as exc:
            raise ParseError(f"JSON parse error - {exc}") from exc
        except ValueError as exc:
            raise ParseError("JSON parse error - a number is out of range.") from exc
        # Neither can stand in valid UTF-8 JSON unescaped: nearly every body is done here.
        if "\\u" in text and (refused := _unstorable(data)):
            raise ValidationError(refused)
        return data


def _read_text(stream: IO[bytes]) -> str:
    limit = settings.DATA_UPLOAD_MAX_MEMORY_SIZE
    body = stream.read() if limit is None else stream.read(limit + 1)
    if limit is not None and len(body) > limit:
        raise BodyTooLarge(f"A request body may hold {limit:,} bytes.")
    try:
        return body.decode("utf-8-sig")
    except UnicodeDecodeError as exc:
        raise ParseError("JSON parse error - the body is not UTF-8.") from exc


def _refuse_number(written: str) -> NoReturn:
    raise ValueError(written)


def _finite(written: str) -> float:
    number = float(written)
    return number if math.isfinite(number) else _refuse_number(written)


def _unstorable(data: Any) -> dict[str, list[ErrorDetail]]:
    """Where in `data` text stands that cannot be stored: path → why."""
    refused: dict[str, list[ErrorDetail]] = {}
    for path, text in _texts(data):
        if "\0" in text:
            refused[path] = [ErrorDetail("Null characters are not allowed.", code="null_characters_not_allowed")]
        elif any("\ud800" <= character <= "\udfff" for character in text):
            refused[path] = [ErrorDetail("Half a character is not allowed.", code="surrogate_characters_not_allowed")]
    return refused


def _texts(data: Any) -> Iterator[tuple[str, str]]:
    """Every string in a JSON document, keys too, with its path. Without recursion: the client chose the depth."""
    waiting: list[tuple[str, Any]] = [("", data)]
    while waiting:
        path, value = waiting.pop()
        if isinstance(value, str):
            yield path or api_settings.NON_FIELD_ERRORS_KEY, value
        elif isinstance(value, dict):
            for key, inner in value.items():
                inner_path = f"{path}.{_printable(key)}".lstrip(".")
                yield inner_path, key
                waiting.append((inner_path, inner))
        elif isinstance(value, list):
            waiting.extend((f"{path}.{index}".lstrip("."), inner) for index, inner in enumerate(value))


def _printable(key: str) -> str:
    return key.encode("utf-8", "backslashreplace").decode()


class RefusesUnknownFields(serializers.Serializer[Any]):
    # A misspelt field is a 400 that names it, not a wish silently dropped. Read-only ones are ignored, as ever.
    # (No docstring: the API's description would repeat it under every serializer.)

    default_error_messages = {"unknown_field": "There is no field of this name."}

    def to_internal_value(self, data: Any) -> Any:
        names = [str(name) for name in data if name not in self.fields] if isinstance(data, Mapping) else []
        message = str(self.error_messages["unknown_field"])
        unknown = {name: [ErrorDetail(message, code="unknown_field")] for name in names}
        try:
            value = super().to_internal_value(data)
        except ValidationError as exc:
            known = exc.detail if isinstance(exc.detail, dict) else {}
            raise ValidationError({**known, **unknown}) from exc
        if unknown:
            raise ValidationError(unknown)
        return value
