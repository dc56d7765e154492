"""
How much time this server adds to a turn, by the length of the conversation behind it: the whole answer as a client
waits for it over HTTP, less what the model took, beside the bare SQL of the same turn.
"""

from __future__ import annotations

import time
from statistics import median

from tests.bench.houses import bench_house, inside, report
from tests.house import House, Visitor

HISTORIES = (10, 1_000, 10_000)
WARM_UP = 5
TURNS = 40
READ_WITHIN_S = 30.0
WORDS = (
    "The lighthouse is lit early today.",
    "I had soup for lunch, the one with too much pepper.",
    "My sister called, and we talked about the garden.",
    "Work was slow, but the walk home was good.",
    "What did you read this morning?",
)


def measure(database: str, url: str) -> None:
    with bench_house(url, with_worker=True) as house:
        for messages in HISTORIES:
            visitor = house.visitor()
            inside(house, "history", visitor.conversation, messages)
            whole = [_one_turn(visitor, number) for number in range(WARM_UP + TURNS)][WARM_UP:]
            model = inside(house, "model_seconds", [turn for turn, _ in whole])
            added = [took - seconds for (_, took), seconds in zip(whole, model, strict=True)]
            bare = _bare(house, visitor)
            report(f"turn_added_ms_{database}_{messages}", median(added) * 1000, "ms", bare * 1000)


def _one_turn(visitor: Visitor, number: int) -> tuple[str, float]:
    """The turn and how long its client waited. What she remembers of it is read before the next one begins."""
    began = time.perf_counter()
    turn = visitor.say(WORDS[number % len(WORDS)])["turn"]["id"]
    took = time.perf_counter() - began
    latest = time.monotonic() + READ_WITHIN_S
    while visitor.http.get(f"/api/v1/turns/{turn}").json()["turn"]["memory"] in ("pending", "claimed"):
        if time.monotonic() > latest:
            raise RuntimeError("The worker does not read.")
        time.sleep(0.02)
    return turn, took


def _bare(house: House, visitor: Visitor) -> float:
    token = visitor.http.headers["Authorization"].removeprefix("Token ")
    seconds: float = inside(house, "bare_sql", token, visitor.conversation, TURNS)["seconds"]
    return seconds
