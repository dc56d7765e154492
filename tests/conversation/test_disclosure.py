"""When a person is told again that Ella is not a human: decided by the server, kept as rows."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
import time_machine

from ella.conversation.models import Disclosure
from tests.conversation.talking import Talk
from tests.standin import StandIn

MORNING = datetime(2026, 12, 1, 9, 0, tzinfo=UTC)


def told_at(talk: Talk, minutes: list[int]) -> list[int]:
    """The minutes, of messages sent at these, at which a disclosure came."""
    told = []
    for minute in minutes:
        with time_machine.travel(MORNING + timedelta(minutes=minute), tick=False):
            # A crisis needs no model: these are about the clock alone.
            if talk.say("I want to kill myself", f"at-{minute}")["disclosure"]:
                told.append(minute)
    return told


@pytest.mark.parametrize(
    ("minutes", "told"),
    [
        ([0, 1, 5], [0]),
        ([0, 50, 100, 150, 179], [0]),
        ([0, 50, 100, 150, 180], [0, 180]),
        (list(range(0, 400, 30)), [0, 180, 360]),
        # Back after a pause within the day: not the beginning of a day, and not three hours of use.
        ([0, 600, 601, 650], [0]),
        ([0, 600, 650, 700, 750, 780], [0, 780]),
        # A day later to the minute, and a minute before it.
        ([0, 1440], [0, 1440]),
        ([0, 1439, 1440], [0, 1440]),
    ],
)
def test_it_comes_at_the_beginning_of_a_day_and_after_three_hours_of_use(
    talk: Talk, minutes: list[int], told: list[int]
) -> None:
    assert told_at(talk, minutes) == told
    assert Disclosure.objects.count() == len(told)


def test_a_retried_turn_tells_the_same_one_again_and_keeps_one_row(talk: Talk, standin: StandIn) -> None:
    standin.fail("refusal")
    assert talk.post("Hello", "again").status_code == 503
    said = talk.say("Hello", "again")
    assert said["disclosure"]["reason"] == "interaction_begins"
    assert Disclosure.objects.count() == 1
