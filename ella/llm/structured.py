"""
Reading a structured answer item by item. An answer is paid for: one bad item is refused and told, the others are
kept, and only something that is no answer at all is an error. Never an empty success for an answer that could not
be read.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, replace
from functools import cache
from typing import Any, Final, NoReturn, get_origin

from pydantic import BaseModel, TypeAdapter, ValidationError
from pydantic_core import from_json

from ella.llm.errors import ErrorCode, ModelError
from ella.llm.reply import storable

_FENCED: Final = re.compile(r"\A```(?:json)?\s*\n(.*?)\n?```\Z", re.DOTALL)


@dataclass(frozen=True, slots=True)
class ParsedItem:
    """
    One item of an answer. `field` and `index`: where it stood; `raw`: what was answered; `value`: what it was read
    as; `reason`: why it was refused.
    """

    field: str
    index: int
    raw: Any
    value: Any = None
    reason: str = ""

    @property
    def accepted(self) -> bool:
        return not self.reason


def parse_items(text: str, schema: type[BaseModel], *, cut: bool = False) -> list[ParsedItem]:
    """
    Every item of the answer, accepted or refused, in the order of `schema`'s fields. A list field gives an item for
    each of its elements, any other field one.

    `cut`: the answer ran into its token limit, so what is whole of it is read. Raises ModelError: `model_malformed`
    for text that is no JSON object or has none of the fields, `model_truncated` for a cut answer without one whole
    item.
    """
    answer = _read_object(text, cut=cut)
    if not cut and not answer.keys() & schema.model_fields.keys():
        raise ModelError(ErrorCode.MALFORMED, f"a JSON object with none of the fields of {schema.__name__}")
    items: list[ParsedItem] = []
    for name in schema.model_fields:
        if name in answer:
            found = _items_of(schema, name, _clean(answer[name]))
            if cut and found and name == next(reversed(answer)):
                # It may look whole and not be: half a list is a list, and 12 may have been going to be 120.
                found[-1] = replace(found[-1], value=None, reason="the answer was cut here")
            items += found
    if cut and not any(item.accepted for item in items):
        raise ModelError(ErrorCode.TRUNCATED, "the answer was cut before its first whole item")
    return items


def _read_object(text: str, *, cut: bool) -> dict[str, Any]:
    text = text.strip()
    if fenced := _FENCED.match(text):
        text = fenced[1]
    try:
        answer = from_json(text, allow_partial=True) if cut else json.loads(text, parse_constant=_no_constant)
    except (ValueError, RecursionError) as exc:
        raise ModelError(ErrorCode.MALFORMED, f"not JSON: {exc}") from exc
    if not isinstance(answer, dict):
        raise ModelError(ErrorCode.MALFORMED, f"JSON, but a {type(answer).__name__} and no object")
    return answer


def _no_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is no JSON")


def _items_of(schema: type[BaseModel], name: str, raw: Any) -> list[ParsedItem]:
    annotation = schema.model_fields[name].annotation
    if get_origin(annotation) is not list:
        return [_parsed(annotation, name, 0, raw)]
    if not isinstance(raw, list):
        return [ParsedItem(name, 0, raw, reason="should be a list")]
    (element,) = annotation.__args__  # type: ignore[union-attr]
    return [_parsed(element, name, index, part) for index, part in enumerate(raw)]


def _parsed(annotation: Any, name: str, index: int, raw: Any) -> ParsedItem:
    try:
        return ParsedItem(name, index, raw, value=_adapter(annotation).validate_python(raw))
    except ValidationError as exc:
        return ParsedItem(name, index, raw, reason="; ".join(_told(error) for error in exc.errors()))


def _told(error: Any) -> str:
    where = ".".join(str(step) for step in error["loc"])
    return f"{where}: {error['msg']}" if where else str(error["msg"])


@cache
def _adapter(annotation: Any) -> TypeAdapter[Any]:
    return TypeAdapter(annotation)


def _clean(value: Any) -> Any:
    """Escapes can spell what no database stores (`\\u0000`, half a surrogate pair)."""
    if isinstance(value, str):
        return storable(value)
    if isinstance(value, list):
        return [_clean(part) for part in value]
    if isinstance(value, dict):
        return {storable(key): _clean(part) for key, part in value.items()}
    return value
