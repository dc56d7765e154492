"""What tokens cost, in exact integers of nano-dollars. No floats: a day's sum must equal the sum of its calls."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from decimal import Decimal
from typing import Any

from ella.llm.capabilities import Prices, capabilities
from ella.llm.outcome import Usage
from ella.llm.tokens import estimate_tokens

NANO_PER_USD = 1_000_000_000


def cost_nano_usd(model: str, usage: Usage, batch: bool = False) -> int:
    """
    Cost of one call in nano-dollars. A batch pays half; half a nano-dollar is rounded up.

    A call keeps the sum of its tries and not each of them. So one that was asked again pays the factor for long
    prompts as soon as its prompts together are long: too much at worst, never too little.
    """
    prices = prices_for(model, usage.prompt_tokens)
    total = (
        usage.input_tokens * prices.input
        + usage.cache_read_tokens * prices.cache_read
        + usage.cache_write_5m_tokens * prices.cache_write_5m
        + usage.cache_write_1h_tokens * prices.cache_write_1h
        + usage.output_tokens * prices.output
    )
    return -(-total // 2) if batch else total


def reservation_nano_usd(model: str, payload: Mapping[str, Any]) -> int:
    """
    What a budget holds back before `payload` is sent: the estimated prompt at the dearest price its cache marks
    allow, and a reply as long as `max_tokens`.

    The prompt is an estimate, so one call may overrun its reservation a little; it settles at what it did cost.
    """
    prompt_tokens = estimated_prompt_tokens(payload)
    prices = prices_for(model, prompt_tokens)
    marks = {mark.get("ttl", "5m") for mark in _cache_marks(payload)}
    dearest = prices.cache_write_1h if "1h" in marks else prices.cache_write_5m if marks else prices.input
    return prompt_tokens * dearest + int(payload["max_tokens"]) * prices.output


def estimated_prompt_tokens(payload: Mapping[str, Any]) -> int:
    """What the words of a request come to, before the provider has counted them or where it never told."""
    return sum(estimate_tokens(text) for text in _texts(payload))


def prices_for(model: str, prompt_tokens: int) -> Prices:
    """Nano-dollars per token for a prompt of that length."""
    prices = capabilities(model).prices
    if prices.long_prompt_over is None or prompt_tokens <= prices.long_prompt_over:
        return prices
    factor = prices.long_prompt_factor
    return replace(
        prices,
        input=prices.input * factor,
        cache_write_5m=prices.cache_write_5m * factor,
        cache_write_1h=prices.cache_write_1h * factor,
        cache_read=prices.cache_read * factor,
        output=prices.output * factor,
    )


def usd_text(nano_usd: int) -> str:
    """For people: `$1.25`, and six decimals below a dollar, where a call's price lies."""
    usd = Decimal(nano_usd) / NANO_PER_USD
    return f"${usd:,.2f}" if usd >= 1 or not usd else f"${usd:.6f}"


def _blocks(payload: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """Every content block of a request; a plain string counts as one text block."""
    contents = [payload.get("system", ()), *(message["content"] for message in payload["messages"])]
    for content in contents:
        if isinstance(content, str):
            yield {"type": "text", "text": content}
        elif isinstance(content, Sequence):
            yield from content


def _texts(payload: Mapping[str, Any]) -> Iterator[str]:
    for block in _blocks(payload):
        yield block.get("text", "")


def _cache_marks(payload: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    for block in _blocks(payload):
        if mark := block.get("cache_control"):
            yield mark
