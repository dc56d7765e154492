"""
What each model accepts and what it costs. One table; nothing else in the house knows a model by name except the
settings that choose one.

Source: the provider's model pages and price list, October 2026, and SDK 2.14.0. A model that is not in the table is
asked in the plainest way and counted at the dearest list price, so that a budget is never overdrawn by ignorance; a
system check says so (checks.py).
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum
from typing import Final


class Effort(StrEnum):
    """`output_config.effort`, least first."""

    LOW = "low"
    MEDIUM = "medium"
    HIGH = "high"
    XHIGH = "xhigh"
    MAX = "max"


class Thinking(StrEnum):
    """`thinking.type`, in the order of how little the model then thinks."""

    DISABLED = "disabled"
    BETWEEN_TOOLS = "between_tools"
    ADAPTIVE = "adaptive"


@dataclass(frozen=True, slots=True)
class Prices:
    """
    Nano-dollars per token (1 USD = 1,000,000,000), so $2 per million tokens is 2,000. A batch costs half.

    A prompt of more than `long_prompt_over` tokens, cached ones included, multiplies every price of that request,
    output too, by `long_prompt_factor`.
    """

    input: int
    cache_write_5m: int
    cache_write_1h: int
    cache_read: int
    output: int
    long_prompt_over: int | None = None
    long_prompt_factor: int = 1


@dataclass(frozen=True, slots=True)
class Capabilities:
    """
    One model. `thinking`: accepted types, least first; empty where nothing is known, and then nothing is sent. Sizes
    are in tokens; below `min_cacheable_tokens` a prompt is silently not cached.
    """

    known: bool
    mid_conversation_system: bool
    thinking: tuple[Thinking, ...]
    efforts: frozenset[Effort]
    forced_tools: bool
    min_cacheable_tokens: int
    context_tokens: int
    max_output_tokens: int
    prices: Prices

    def lowest_thinking(self, effort: Effort | None) -> Thinking | None:
        """
        The least thinking the model can be held to, None to leave the field out.

        Above `high` effort the provider refuses to have thinking switched off (400), and it would be a contradiction
        anyway.
        """
        if not self.thinking or effort in (Effort.XHIGH, Effort.MAX):
            return None
        return self.thinking[0]


_ALL_EFFORTS: Final = frozenset(Effort)

TABLE: Final[dict[str, Capabilities]] = {
    "claude-opus-5-5": Capabilities(
        known=True,
        mid_conversation_system=True,
        thinking=(Thinking.ADAPTIVE,),
        efforts=_ALL_EFFORTS,
        forced_tools=False,
        min_cacheable_tokens=512,
        context_tokens=1_000_000,
        max_output_tokens=128_000,
        prices=Prices(input=4_000, cache_write_5m=5_000, cache_write_1h=8_000, cache_read=200, output=20_000),
    ),
    "claude-sonnet-5-5": Capabilities(
        known=True,
        mid_conversation_system=True,
        thinking=(Thinking.BETWEEN_TOOLS, Thinking.ADAPTIVE),
        efforts=_ALL_EFFORTS,
        forced_tools=False,
        min_cacheable_tokens=512,
        context_tokens=1_000_000,
        max_output_tokens=128_000,
        prices=Prices(input=2_000, cache_write_5m=2_500, cache_write_1h=4_000, cache_read=100, output=10_000),
    ),
    "claude-haiku-5-5": Capabilities(
        known=True,
        mid_conversation_system=True,
        thinking=(Thinking.DISABLED, Thinking.ADAPTIVE),
        efforts=_ALL_EFFORTS,
        forced_tools=True,
        min_cacheable_tokens=512,
        context_tokens=1_000_000,
        max_output_tokens=128_000,
        prices=Prices(
            input=100,
            cache_write_5m=125,
            cache_write_1h=200,
            cache_read=10,
            output=500,
            long_prompt_over=100_000,
            long_prompt_factor=5,
        ),
    ),
    "claude-haiku-4-5": Capabilities(
        known=True,
        mid_conversation_system=False,
        thinking=(Thinking.DISABLED,),
        efforts=frozenset(),
        forced_tools=True,
        min_cacheable_tokens=4_096,
        context_tokens=200_000,
        max_output_tokens=64_000,
        prices=Prices(input=1_000, cache_write_5m=1_250, cache_write_1h=2_000, cache_read=100, output=5_000),
    ),
}

UNKNOWN: Final = Capabilities(
    known=False,
    mid_conversation_system=False,
    thinking=(),
    efforts=frozenset(),
    forced_tools=False,
    min_cacheable_tokens=4_096,
    context_tokens=200_000,
    max_output_tokens=64_000,
    # The dearest model on the price list (Fable 5.1), its cache reads at the usual tenth of input.
    prices=Prices(input=10_000, cache_write_5m=12_500, cache_write_1h=20_000, cache_read=1_000, output=50_000),
)

_SNAPSHOT_DATE = re.compile(r"-\d{8}\Z")


def capabilities(model: str) -> Capabilities:
    """
    The table's entry for a model, or for the model of which `model` names a dated snapshot (`…-20251001`); else
    `UNKNOWN`.
    """
    return TABLE.get(_SNAPSHOT_DATE.sub("", model), UNKNOWN)
