"""
Honest prompt-cache accounting: what the provider would have written and read, and so what the request would have
cost.

An entry is the hash of everything up to and including a marked block, byte for byte. It never pretends: below the
model's minimum nothing is kept, an entry that ran out of life is gone, and a mark looks back over 20 positions
only. Rules: the provider's page on prompt caching.

What is hashed ahead of the blocks: credential, model, speed and effort, so that a change there finds nothing.
`thinking` and `tool_choice` are hashed where the messages begin: entries that end in tools or system survive a
change of those, entries that end in messages do not.
"""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ella.offline.clock import Clock
from ella.offline.prompt import TTL_SECONDS, PromptBlock

LOOKBACK = 20
MAX_ENTRIES = 200_000


@dataclass(slots=True)
class _Entry:
    expires_at: float
    ttl_s: int


@dataclass(frozen=True, slots=True)
class CacheUse:
    """
    Input tokens of one request, split as the bill splits them, and what becomes true of the cache once the reply
    begins.
    """

    input_tokens: int
    read_tokens: int
    write_5m_tokens: int
    write_1h_tokens: int
    writes: Mapping[bytes, int] = field(default_factory=dict)
    refreshes: Sequence[bytes] = ()

    def as_usage(self) -> dict[str, Any]:
        """The input half of `usage`; `input_tokens` is only what the cache had no part in."""
        return {
            "input_tokens": self.input_tokens,
            "cache_creation_input_tokens": self.write_5m_tokens + self.write_1h_tokens,
            "cache_read_input_tokens": self.read_tokens,
            "cache_creation": {
                "ephemeral_5m_input_tokens": self.write_5m_tokens,
                "ephemeral_1h_input_tokens": self.write_1h_tokens,
            },
        }


class PromptCache:
    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._entries: dict[bytes, _Entry] = {}

    def clear(self) -> None:
        self._entries.clear()

    def look_up(
        self, request: Mapping[str, Any], blocks: Sequence[PromptBlock], *, credential: str, minimum: int
    ) -> CacheUse:
        """Find the longest live prefix and what this request would write; nothing changes before `settle`."""
        total = sum(block.tokens for block in blocks)
        marks = [index for index, block in enumerate(blocks) if block.ttl]
        if not marks:
            return CacheUse(total, 0, 0, 0)
        digests, lengths = _prefixes(request, blocks[: marks[-1] + 1], credential)
        hit = self._longest_hit(digests, marks)
        read = lengths[hit] if hit >= 0 else 0
        written = [mark for mark in marks if mark > hit and lengths[mark] >= minimum]
        one_hour_end = max((lengths[mark] for mark in written if blocks[mark].ttl == "1h"), default=read)
        end = lengths[written[-1]] if written else read
        return CacheUse(
            input_tokens=total - end,
            read_tokens=read,
            write_1h_tokens=one_hour_end - read,
            write_5m_tokens=end - one_hour_end,
            writes={digests[mark]: TTL_SECONDS[blocks[mark].ttl or "5m"] for mark in written},
            refreshes=[digests[index] for index in {hit, *(mark for mark in marks if mark <= hit)} if index >= 0],
        )

    def settle(self, use: CacheUse) -> None:
        """The reply has begun: entries read live on for their whole life again, and new ones exist from now."""
        now = self._clock.now()
        for digest in use.refreshes:
            entry = self._entries.get(digest)
            if entry is not None and entry.expires_at > now:
                entry.expires_at = now + entry.ttl_s
        for digest, ttl_s in use.writes.items():
            self._entries[digest] = _Entry(now + ttl_s, ttl_s)
        if len(self._entries) > MAX_ENTRIES:
            self._sweep(now)

    def _longest_hit(self, digests: Sequence[bytes], marks: Sequence[int]) -> int:
        now = self._clock.now()
        best = -1
        for mark in marks:
            for index in range(mark, max(best, mark - LOOKBACK), -1):
                entry = self._entries.get(digests[index])
                if entry is not None and entry.expires_at > now:
                    best = index
                    break
        return best

    def _sweep(self, now: float) -> None:
        self._entries = {digest: entry for digest, entry in self._entries.items() if entry.expires_at > now}
        while len(self._entries) > MAX_ENTRIES:
            self._entries.pop(next(iter(self._entries)))


def _prefixes(
    request: Mapping[str, Any], blocks: Sequence[PromptBlock], credential: str
) -> tuple[list[bytes], list[int]]:
    """For each block, the hash and the token length of everything up to and including it."""
    effort = (request.get("output_config") or {}).get("effort")
    digest = _hash(b"", [credential, request["model"], request.get("speed"), effort])
    in_messages = False
    digests: list[bytes] = []
    lengths: list[int] = []
    length = 0
    for block in blocks:
        if block.section == "messages" and not in_messages:
            in_messages = True
            digest = _hash(digest, [request.get("thinking"), request.get("tool_choice")])
        digest = _hash(digest, [block.section, block.role, block.content])
        length += block.tokens
        digests.append(digest)
        lengths.append(length)
    return digests, lengths


def _hash(previous: bytes, value: Any) -> bytes:
    # Keys are not sorted: two orders of the same JSON are different bytes to the provider too.
    return hashlib.sha256(previous + json.dumps(value, separators=(",", ":")).encode()).digest()
