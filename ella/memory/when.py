"""
Times in words, resolved by the server against the moment they were written, on the writer's own clock. A model never
works out a date.

`resolve` gives a span of days and how sure it is; words that may mean two things ("next Friday" on a Friday, "tomorrow"
after midnight) come back as the span of both and unsure. Explicit dates are left to `dateparser`; the relative words of
everyday talk are few and are read here, because no library tells how sure it is.
"""

from __future__ import annotations

import re
from calendar import monthrange
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from enum import StrEnum

import dateparser

_WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_SHORTENED = {"tuesday": ["s"], "wednesday": ["s"], "thursday": ["r", "rs"]}
_NUMBER_WORDS = (
    "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve",
)  # fmt: skip
_NUMBERS = {word: number for number, word in enumerate(_NUMBER_WORDS)} | {"a": 1, "an": 1, "couple of": 2, "few": 3}
# Before this hour, "tomorrow" may mean the day that has not begun to feel like today.
_NIGHT_ENDS = 4

_NUMBER = r"(\d{1,3}|" + "|".join(_NUMBERS) + r"|a couple of|a few)"
# As people shorten them: "Tues", "Thurs", "Fri".
_WEEKDAY = (
    "(" + "|".join(f"{day[:3]}(?:{'|'.join([day[3:], *_SHORTENED.get(day, [])])})?" for day in _WEEKDAYS) + r")\b"
)
_AGO = re.compile(rf"\b{_NUMBER} (day|week|month|year)s? ago\b")
_AHEAD = re.compile(rf"\b(?:in|within) {_NUMBER} (day|week|month|year)s?\b")
_PERIOD = re.compile(r"\b(last|this|next|past|coming) (week|month|year|weekend)\b")
_WEEKDAY_WORDS = re.compile(rf"\b(?:(last|this|next|coming) )?{_WEEKDAY}(?: (week|next week)\b)?")
_DAY_WORDS = {
    "day after tomorrow": 2,
    "day before yesterday": -2,
    "tomorrow": 1,
    "yesterday": -1,
    "last night": -1,
    "today": 0,
    "tonight": 0,
    "this morning": 0,
    "this afternoon": 0,
    "this evening": 0,
}
RELATIVE_WORDS = re.compile(
    r"\b(today|tonight|tomorrow|yesterday|this (?:morning|afternoon|evening|week|weekend|month|year)|"
    rf"(?:last|next|past|coming) (?:night|week|weekend|month|year|{_WEEKDAY})|"
    rf"{_NUMBER} (?:day|week|month|year)s? ago)\b",
    re.IGNORECASE,
)


class Lean(StrEnum):
    """Which way a bare weekday points: to what is coming, or to what has been."""

    FUTURE = "future"
    PAST = "past"


@dataclass(frozen=True, slots=True)
class DaySpan:
    """First and last day meant, both included. Not `sure`: it may be either end or anything between."""

    first: date
    last: date
    sure: bool = True


def resolve(words: str, *, said_at: datetime, lean: Lean = Lean.FUTURE) -> DaySpan | None:
    """
    The days that `words` mean, said at `said_at` (aware, on the speaker's own clock). None when no time can be made
    of them.
    """
    told = re.sub(r"[^\w\s:/.,-]", " ", words.lower()).strip()
    told = re.sub(r"\s+", " ", told)
    if not told or len(told) > 80:
        return None
    today = said_at.date()
    return (
        _by_day_word(told, said_at)
        or _by_count(told, today)
        or _by_period(told, today)
        or _by_weekday(told, today, lean)
        or _by_explicit_date(told, said_at, lean)
    )


def _by_day_word(told: str, said_at: datetime) -> DaySpan | None:
    for word, days in _DAY_WORDS.items():
        if re.search(rf"\b{word}\b", told):
            day = said_at.date() + timedelta(days=days)
            if word == "tomorrow" and said_at.hour < _NIGHT_ENDS:
                return DaySpan(said_at.date(), day, sure=False)
            return DaySpan(day, day)
    return None


def _by_count(told: str, today: date) -> DaySpan | None:
    for pattern, sign in ((_AGO, -1), (_AHEAD, 1)):
        if match := pattern.search(told):
            count = _number(match.group(1))
            exact = match.group(2) == "day" and match.group(1) not in {"a few", "a couple of", "few"}
            return _around(_moved(today, match.group(2), sign * count), match.group(2), sure=exact)
    return None


def _by_period(told: str, today: date) -> DaySpan | None:
    match = _PERIOD.search(told)
    if match is None:
        return None
    shift = {"last": -1, "past": -1, "this": 0, "next": 1, "coming": 1}[match.group(1)]
    unit = match.group(2)
    if unit == "year":
        return DaySpan(date(today.year + shift, 1, 1), date(today.year + shift, 12, 31), sure=False)
    if unit == "month":
        first = _moved(today.replace(day=1), "month", shift)
        return DaySpan(first, first.replace(day=monthrange(first.year, first.month)[1]), sure=False)
    monday = today - timedelta(days=today.weekday()) + timedelta(weeks=shift)
    if unit == "weekend":
        return DaySpan(monday + timedelta(days=5), monday + timedelta(days=6))
    return DaySpan(monday, monday + timedelta(days=6), sure=False)


def _by_weekday(told: str, today: date, lean: Lean) -> DaySpan | None:
    match = _WEEKDAY_WORDS.search(told)
    if match is None:
        return None
    which = match.group(1)
    wanted = next(number for number, day in enumerate(_WEEKDAYS) if day.startswith(match.group(2)[:3]))
    ahead = (wanted - today.weekday()) % 7
    coming = today + timedelta(days=ahead or 7)
    if which == "last":
        day = today - timedelta(days=(today.weekday() - wanted) % 7 or 7)
        return DaySpan(day, day)
    if which == "next" or match.group(3):
        # Said some days before, "next Friday" is this week's to one person and the week after's to another.
        return DaySpan(coming, coming + timedelta(days=0 if ahead > 4 else 7), sure=ahead > 4)
    if lean is Lean.PAST:
        day = today - timedelta(days=(today.weekday() - wanted) % 7 or 7)
        return DaySpan(day, day)
    if ahead == 0:
        return DaySpan(today, coming, sure=False)
    return DaySpan(coming, coming)


def _by_explicit_date(told: str, said_at: datetime, lean: Lean) -> DaySpan | None:
    if not re.search(
        r"\d|january|february|march|april|may|june|july|august|september|october|november|december|christmas", told
    ):
        return None
    if told in {"christmas", "at christmas", "for christmas"}:
        day = date(said_at.year, 12, 25)
        return DaySpan(day, day)
    found = dateparser.parse(
        re.sub(r"^(on|by|at|around|before|until) (the )?", "", told),
        languages=["en"],
        settings={
            "RELATIVE_BASE": said_at.replace(tzinfo=None),
            "PREFER_DATES_FROM": lean.value,
            "REQUIRE_PARTS": ["month"],
            "RETURN_AS_TIMEZONE_AWARE": False,
        },
    )
    if found is None or abs(found.year - said_at.year) > 120:
        return None
    if re.search(r"\b\d{1,2}(st|nd|rd|th)?\b", re.sub(r"\b\d{4}\b", "", told)):
        return DaySpan(found.date(), found.date())
    last = monthrange(found.year, found.month)[1]
    return DaySpan(found.date().replace(day=1), found.date().replace(day=last), sure=False)


def _number(word: str) -> int:
    return int(word) if word.isdigit() else _NUMBERS.get(word.removeprefix("a ").strip(), _NUMBERS.get(word, 1))


def _moved(day: date, unit: str, count: int) -> date:
    if unit in {"day", "week"}:
        return day + timedelta(days=count * (7 if unit == "week" else 1))
    months = day.year * 12 + day.month - 1 + count * (12 if unit == "year" else 1)
    year, month = divmod(months, 12)
    return date(year, month + 1, min(day.day, monthrange(year, month + 1)[1]))


def _around(day: date, unit: str, *, sure: bool) -> DaySpan:
    slack = {"day": 0 if sure else 1, "week": 3, "month": 15, "year": 183}[unit]
    return DaySpan(day - timedelta(days=slack), day + timedelta(days=slack), sure=sure)
