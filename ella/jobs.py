"""
The one list of everything that runs on a clock. A job that is not here does not run by itself, and none of them walks
all people: each looks at an index of what is due.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta

from ella.conversation.services import fail_abandoned_turns
from ella.llm.calls import sweep_lost_calls
from ella.memory.sweep import nudge_what_waits


@dataclass(frozen=True, slots=True)
class Job:
    """
    `run(now)` does it once and returns how many rows it concerned; running it twice, or in two places, does no harm.
    """

    name: str
    every: timedelta
    run: Callable[[datetime], int]
    what: str


JOBS = (
    Job(
        "remember_sweep", timedelta(seconds=15), nudge_what_waits, "exchanges a lost nudge or a dead worker left unread"
    ),
    Job(
        "abandoned_turns",
        timedelta(seconds=30),
        fail_abandoned_turns,
        "turns whose process died and whose client did not come back",
    ),
    Job(
        "lost_calls",
        timedelta(minutes=5),
        sweep_lost_calls,
        "model calls whose process died: their budget is given back",
    ),
)
BY_NAME = {job.name: job for job in JOBS}
