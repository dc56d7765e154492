"""Everything one stand-in remembers, in one place and in memory only; a restart or a reset forgets it."""

import os
from dataclasses import replace

from ella.offline.batches import BatchBook
from ella.offline.cache import PromptCache
from ella.offline.clock import Clock
from ella.offline.failures import FailureQueue
from ella.offline.replies import ReplyQueue
from ella.offline.requestlog import RequestLog
from ella.offline.streaming import Pace


class StandInState:
    def __init__(self, pace: Pace) -> None:
        self._first_pace = pace
        self.pace = replace(pace)
        self.clock = Clock()
        self.cache = PromptCache(self.clock)
        self.batches = BatchBook(self.clock)
        self.failures = FailureQueue()
        self.replies = ReplyQueue()
        self.log = RequestLog()

    def reset(self) -> None:
        """Back to how it was started."""
        self.pace = replace(self._first_pace)
        self.clock.reset()
        self.cache.clear()
        self.batches.clear()
        self.failures.clear()
        self.replies.waiting.clear()
        self.log.clear()


def pace_from_environment() -> Pace:
    """Seconds from STANDIN_FIRST_BYTE_S, STANDIN_TOKEN_S and STANDIN_BATCH_S; without them it answers at once."""
    return Pace(
        first_byte_s=float(os.environ.get("STANDIN_FIRST_BYTE_S", "0")),
        token_s=float(os.environ.get("STANDIN_TOKEN_S", "0")),
        batch_s=float(os.environ.get("STANDIN_BATCH_S", "0")),
    )
