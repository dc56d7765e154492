"""Times in words, resolved on the speaker's own clock."""

from __future__ import annotations

from datetime import date, datetime
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ella.memory.when import Lean, resolve

LISBON = ZoneInfo("Europe/Lisbon")
TUESDAY = datetime(2026, 12, 1, 14, 5, tzinfo=LISBON)
FRIDAY = datetime(2026, 12, 4, 14, 5, tzinfo=LISBON)


@pytest.mark.parametrize(
    ("words", "first", "last", "sure"),
    [
        ("tomorrow", date(2026, 12, 2), date(2026, 12, 2), True),
        ("yesterday", date(2026, 11, 30), date(2026, 11, 30), True),
        ("tonight", date(2026, 12, 1), date(2026, 12, 1), True),
        ("the day after tomorrow", date(2026, 12, 3), date(2026, 12, 3), True),
        ("in three days", date(2026, 12, 4), date(2026, 12, 4), True),
        ("2 weeks ago", date(2026, 11, 14), date(2026, 11, 20), False),
        ("on Friday", date(2026, 12, 4), date(2026, 12, 4), True),
        ("next Friday after lunch", date(2026, 12, 4), date(2026, 12, 11), False),
        ("last Tues", date(2026, 11, 24), date(2026, 11, 24), True),
        ("on Thurs", date(2026, 12, 3), date(2026, 12, 3), True),
        ("last Friday", date(2026, 11, 27), date(2026, 11, 27), True),
        ("next month", date(2027, 1, 1), date(2027, 1, 31), False),
        ("next week", date(2026, 12, 7), date(2026, 12, 13), False),
        ("this weekend", date(2026, 12, 5), date(2026, 12, 6), True),
        ("March 18", date(2027, 3, 18), date(2027, 3, 18), True),
        ("2026-12-24", date(2026, 12, 24), date(2026, 12, 24), True),
    ],
)
def test_everyday_words_mean_these_days_on_a_tuesday(words: str, first: date, last: date, sure: bool) -> None:
    span = resolve(words, said_at=TUESDAY)
    assert span is not None
    assert (span.first, span.last, span.sure) == (first, last, sure)


def test_next_friday_said_on_a_friday_is_not_sure() -> None:
    span = resolve("next Friday", said_at=FRIDAY)
    assert span is not None
    assert not span.sure


def test_a_bare_weekday_leans_the_way_the_talk_does() -> None:
    coming, past = resolve("on Friday", said_at=TUESDAY), resolve("on Friday", said_at=TUESDAY, lean=Lean.PAST)
    assert coming is not None
    assert past is not None
    assert (coming.first, past.first) == (date(2026, 12, 4), date(2026, 11, 27))


def test_tomorrow_said_after_midnight_may_be_today() -> None:
    span = resolve("tomorrow", said_at=TUESDAY.replace(hour=0, minute=30))
    assert span is not None
    assert (span.first, span.last, span.sure) == (date(2026, 12, 1), date(2026, 12, 2), False)


def test_the_day_is_the_speakers_and_not_the_servers() -> None:
    late = datetime(2026, 12, 1, 23, 30, tzinfo=ZoneInfo("America/Los_Angeles"))
    span = resolve("tomorrow", said_at=late)
    assert span is not None
    assert span.first == date(2026, 12, 2)


def test_a_month_counted_back_from_its_last_day_exists() -> None:
    span = resolve("a month ago", said_at=datetime(2027, 3, 31, 12, 0, tzinfo=LISBON))
    assert span is not None
    assert span.first < date(2027, 2, 28) < span.last


@pytest.mark.parametrize(
    "words", ["", "soon", "a sunny Monet", "satisfied", "whenever", "after the thing with the boat", "x" * 500, "42"]
)
def test_words_that_are_no_time_give_none(words: str) -> None:
    assert resolve(words, said_at=TUESDAY) is None


@given(words=st.text(max_size=120))
def test_no_words_break_it(words: str) -> None:
    span = resolve(words, said_at=TUESDAY)
    assert span is None or span.first <= span.last
