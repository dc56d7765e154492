"""
A model call laid out for a person to read: what was sent, section by section, what was left out, what came back, what
it cost. Reads one row that is already loaded; asks the database nothing and changes nothing.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from ella.llm.models import ModelCall
from ella.llm.prices import cost_nano_usd, prices_for, usd_text
from ella.llm.tokens import estimate_tokens


@dataclass(frozen=True, slots=True)
class Origin:
    """The row or file a line came from."""

    kind: str
    id: str

    @property
    def short(self) -> str:
        return self.id if len(self.id) <= 12 else f"{self.id[:8]}…"


@dataclass(frozen=True, slots=True)
class Line:
    text: str
    sources: tuple[Origin, ...]


@dataclass(frozen=True, slots=True)
class SentSection:
    """
    A stretch of the prompt in payload order. `tokens` is our estimate, `share` its part of all of them in percent.
    """

    label: str
    priority: str
    where: str
    tokens: int
    share: int
    lines: tuple[Line, ...]


@dataclass(frozen=True, slots=True)
class Omission:
    section: str
    reason: str
    line: Line


@dataclass(frozen=True, slots=True)
class AnswerBlock:
    """`structured`: data and not words, set out in lines."""

    kind: str
    text: str
    structured: bool


@dataclass(frozen=True, slots=True)
class PriceRow:
    what: str
    tokens: str
    per_million: str
    cost: str


def sections_of(call: ModelCall) -> list[SentSection]:
    """From the section map; a call without one (a job's) is read from its payload instead, one section a block."""
    found = call.section_map or list(_sections_from_payload(call.payload))
    total = sum(section["tokens"] for section in found) or 1
    return [
        SentSection(
            label=section["label"] or section["key"].replace("_", " "),
            priority=section["priority"],
            where=section["where"],
            tokens=section["tokens"],
            share=round(100 * section["tokens"] / total),
            lines=tuple(_line(line) for line in section["lines"]),
        )
        for section in found
    ]


def omissions_of(call: ModelCall) -> list[Omission]:
    return [Omission(item["key"].replace("_", " "), item["reason"], _line(item)) for item in call.left_out]


def answer_of(call: ModelCall) -> list[AnswerBlock]:
    """Blocks as they came. Text that is JSON is set out in lines; thinking is told apart from words."""
    found = []
    for block in call.answer or ():
        text = block.get("text") or block.get("thinking") or ""
        readable = _readable(text)
        found.append(AnswerBlock(block["type"], readable, structured=readable != text))
    return found


def price_rows_of(call: ModelCall) -> list[PriceRow]:
    """
    Each kind of token at the list price for a prompt of this length. The call's own `cost_nano_usd` is what was
    booked.
    """
    usage = call.usage
    prices = prices_for(call.model, usage.prompt_tokens)
    kinds = [
        ("input, not cached", usage.input_tokens, prices.input),
        ("read from the cache", usage.cache_read_tokens, prices.cache_read),
        ("written to the cache, 5 minutes", usage.cache_write_5m_tokens, prices.cache_write_5m),
        ("written to the cache, 1 hour", usage.cache_write_1h_tokens, prices.cache_write_1h),
        ("output", usage.output_tokens, prices.output),
    ]
    return [PriceRow(what, f"{n:,}", _per_million(price), usd_text(n * price)) for what, n, price in kinds]


def priced_differently(call: ModelCall) -> bool:
    """The rows no longer add up to what was booked: the price list has changed since, or the call went by batch."""
    return cost_nano_usd(call.model, call.usage) != call.cost_nano_usd


def cached_percent(call: ModelCall) -> int | None:
    """How much of the prompt was read from the cache; None when there was no usage to tell."""
    prompt = call.usage.prompt_tokens
    return round(100 * call.cache_read_tokens / prompt) if prompt else None


def pretty(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, indent=2)


def _readable(text: str) -> str:
    """JSON set out in lines; anything else as it is, numbers and single words too."""
    if not text.lstrip().startswith(("{", "[")):
        return text
    try:
        return pretty(json.loads(text))
    except ValueError:
        return text


def _per_million(nano_per_token: int) -> str:
    """At least two decimals, a third where the price list has one (`$0.125`)."""
    usd = f"{nano_per_token / 1000:.3f}"
    return f"${usd.removesuffix('0')}"


def _line(raw: Mapping[str, Any]) -> Line:
    return Line(raw["text"], tuple(Origin(source["kind"], str(source["id"])) for source in raw["sources"]))


def _sections_from_payload(payload: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    parts = [("system", payload.get("system", ())), *((m["role"], m["content"]) for m in payload.get("messages", ()))]
    for role, content in parts:
        texts = (
            [content] if isinstance(content, str) else [block.get("text", f"({block['type']})") for block in content]
        )
        for text in texts:
            yield {
                "key": role,
                "label": "",
                "priority": "",
                "tokens": estimate_tokens(text),
                "where": "system" if role == "system" else "messages",
                "lines": [{"text": _readable(text), "sources": []}],
            }
