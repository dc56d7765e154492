"""
What a call to a model brought back: the words, the blocks they came in, the tokens, the times. Plain data that any
part of the house may hold; no network, no database.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True)
class Usage:
    """
    Tokens as the provider counts them. `input_tokens` is only what neither came from the cache nor went into it.
    """

    input_tokens: int = 0
    cache_read_tokens: int = 0
    cache_write_5m_tokens: int = 0
    cache_write_1h_tokens: int = 0
    output_tokens: int = 0

    @property
    def prompt_tokens(self) -> int:
        """The whole prompt, cached or not."""
        return self.input_tokens + self.cache_read_tokens + self.cache_write_5m_tokens + self.cache_write_1h_tokens

    def __add__(self, other: Usage) -> Usage:
        return Usage(
            input_tokens=self.input_tokens + other.input_tokens,
            cache_read_tokens=self.cache_read_tokens + other.cache_read_tokens,
            cache_write_5m_tokens=self.cache_write_5m_tokens + other.cache_write_5m_tokens,
            cache_write_1h_tokens=self.cache_write_1h_tokens + other.cache_write_1h_tokens,
            output_tokens=self.output_tokens + other.output_tokens,
        )


@dataclass(frozen=True, slots=True)
class CallOutcome:
    """
    One call, over all its tries, whole or as far as it came.

    `text` is what may be shown: the text blocks joined, empty when the provider refused. `blocks` are the content
    blocks as they came, thinking included. `usage` sums every try that began to answer; `usage_estimated` says that a
    stream ended before the provider told its count, so that the output tokens are ours. Times are milliseconds since
    the first try began.
    """

    text: str = ""
    blocks: list[dict[str, Any]] = field(default_factory=list)
    stop_reason: str = ""
    usage: Usage = Usage()
    usage_estimated: bool = False
    request_id: str = ""
    first_token_ms: int | None = None
    duration_ms: int = 0
    tries: int = 0

    @property
    def truncated(self) -> bool:
        """The reply ran into `max_tokens`; the caller decides whether what there is will do."""
        return self.stop_reason == "max_tokens"
