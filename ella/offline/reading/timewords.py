"""
Finds the words by which somebody names a time. It never works out a date: the words are handed on untouched, and the
server resolves them.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import Enum

_DAY = "(?:(?:mon|tues|wednes|thurs|fri|satur|sun)days?)"
_SHORT_DAY = "(?:mon|tues?|weds?|thurs?|fri|sat|sun)"
_PART = "(?:morning|afternoon|evening|night|lunchtime)"
_UNIT = "(?:week|weekend|month|year|spring|summer|autumn|fall|winter|term|semester|christmas|easter)"
_MONTH = "(?:january|february|march|april|may|june|july|august|september|october|november|december)"
_COUNT = "(?:an?|one|two|three|four|five|six|seven|eight|nine|ten|a few|a couple of|several|some|many|\\d{1,3})"
_SPAN = "(?:(?:minute|hour|day|week|weekend|month|year)s?)"
_NTH = r"(?:\d{1,2}(?:st|nd|rd|th)?)"
_CLOCK = r"(?: (?:at|around|by) (?:noon|midnight|half past \w{3,6}|\d{1,2}(?::\d\d)?(?: ?[ap]\.?m\b)?(?: o'clock)?))"
_AFTER = "(?: (?:after|before|at|over) (?:lunch|work|school|dinner|breakfast|midnight|noon))"
_FINE = f"(?: {_PART})?{_AFTER}?{_CLOCK}?"

_WAYS = (
    f"the day (?:after tomorrow|before yesterday)(?: {_PART})?",
    f"(?:yesterday|tomorrow){_FINE}",
    f"(?:(?:earlier|later|early|late) )?(?:today|tonight|this {_PART}|last night){_CLOCK}?",
    f"in the {_PART}|just now|right now|at the moment",
    f"(?:(?:on|this past|this coming|this|next|last|early|late|the coming) ){{1,2}}(?:{_DAY}|{_SHORT_DAY}\\b){_FINE}",
    f"{_DAY}{_FINE}",
    "(?:(?:early|late|later|earlier|over|at the end of|the end of) )?"
    f"(?:next|last|this|this past|this coming|the following) (?:{_UNIT}|{_MONTH})",
    f"in (?:about )?{_COUNT} {_SPAN}(?:'? time)?",
    f"(?:about |around |over )?{_COUNT} {_SPAN} (?:ago|from now|earlier)",
    "the other (?:day|night|week)",
    f"on the {_NTH}(?:(?: of)? {_MONTH})?",
    f"on {_MONTH} {_NTH}",
    f"on {_NTH}(?: of)? {_MONTH}",
    f"(?:in|since|until|by) (?:early |late )?{_MONTH}(?: (?:19|20)\\d\\d)?",
    r"(?:in|since) (?:19|20)\d\d",
    _CLOCK.replace("(?: (?:at", "(?:(?:at", 1),
)
_TIMES = re.compile(rf"\b(?:{'|'.join(_WAYS)})(?![\w'])", re.IGNORECASE)
# How long something has gone on: not a moment, but no part of what is told either.
_DURATION = re.compile(
    rf"\b(?:(?:for|over) (?:the (?:past|last) )?(?:{_COUNT} {_SPAN}|ages|years|a while)"
    rf"|since (?:childhood|then|forever))\b(?: now)?",
    re.IGNORECASE,
)
_PAST = re.compile(r"\b(?:yesterday|last|ago|earlier|past|other|since|just now)\b", re.IGNORECASE)
_FUTURE = re.compile(
    rf"\b(?:tomorrow|next|coming|later|tonight|from now|following|until|in (?:about )?{_COUNT} {_SPAN})\b",
    re.IGNORECASE,
)
_MOMENT = re.compile(r"(?:right now|just now|at the moment)\Z", re.IGNORECASE)


class Direction(Enum):
    PAST = "past"
    FUTURE = "future"
    OPEN = "open"  # "on Friday": the verb beside it decides


@dataclass(frozen=True, slots=True)
class When:
    words: str
    start: int
    end: int

    @property
    def direction(self) -> Direction:
        if _PAST.search(self.words):
            return Direction.PAST
        return Direction.FUTURE if _FUTURE.search(self.words) else Direction.OPEN

    @property
    def is_now(self) -> bool:
        return _MOMENT.match(self.words) is not None


def times_in(text: str) -> list[When]:
    """Every time named in `text`, in order. Two that touch ("tomorrow", "at 9") are one."""
    found: list[When] = []
    for match in _TIMES.finditer(text):
        start = match.start()
        if found and not text[found[-1].end : start].strip():
            start = found.pop().start
        found.append(When(text[start : match.end()], start, match.end()))
    return found


def leading_time(text: str) -> When | None:
    """The time `text` opens with ("Last Friday, I went …"), if it does."""
    match = _TIMES.match(text)
    return When(match.group(), 0, match.end()) if match else None


def without_times(text: str) -> tuple[str, When | None]:
    """`text` without the times it names and without durations, and the first of those times."""
    times = times_in(text)
    for when in reversed(times):
        text = f"{text[: when.start].rstrip()} {text[when.end :].lstrip()}"
    return " ".join(_DURATION.sub(" ", text).split()), times[0] if times else None
