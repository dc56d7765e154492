"""
Thoughts as lines of a prompt: her words, fenced, with the day she said them. They are framed as said, never as true.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import tzinfo
from uuid import UUID

from ledger.days import day_label
from ledger.fencing import fence
from selflog.models import CONTENT_MAX_CHARS, Certainty, SelfLogEntry


@dataclass(frozen=True, slots=True)
class ThoughtLine:
    """One line, without its newline."""

    text: str
    entry_id: UUID


def thought_lines(entries: Iterable[SelfLogEntry], zone: tzinfo | None) -> list[ThoughtLine]:
    """
    A line for each entry, in the order given: `- «I keep thinking about the gulls» (said 2026-12-01 Tue)`, and after it
    `(likely)` or `(maybe)` when she was not sure. `zone` is the person's.
    """
    return [_line(entry, zone) for entry in entries]


def _line(entry: SelfLogEntry, zone: tzinfo | None) -> ThoughtLine:
    doubt = "" if entry.certainty == Certainty.HAPPENED else f" ({entry.certainty})"
    said = day_label(entry.said_at.astimezone(zone).date())
    return ThoughtLine(f"- «{fence(entry.content, CONTENT_MAX_CHARS)}» (said {said}){doubt}", entry.pk)
