"""
What a turn tells the one who waits for it, in order: `turn`, any number of `delta`, perhaps `replace`, then `done` or
`error`.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any


class EventName(StrEnum):
    TURN = "turn"  # the message is stored; from here on the same client_id continues this turn
    DELTA = "delta"  # the next sentence, already judged
    REPLACE = "replace"  # forget what came so far; this text stands in its place
    DONE = "done"  # the turn as `POST …/messages` answers it
    ERROR = "error"  # not answered; the message is kept


@dataclass(frozen=True, slots=True)
class Event:
    name: EventName
    data: dict[str, Any] = field(default_factory=dict)
