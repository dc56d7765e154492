"""
The stand-in's own time, which a test may push forward so that an hour of cache life or a day of batch takes no
waiting. It never goes back.
"""

import time
from datetime import UTC, datetime


class Clock:
    def __init__(self) -> None:
        self._ahead_s = 0.0

    def now(self) -> float:
        """Seconds since the epoch, plus everything the clock was advanced by."""
        return time.time() + self._ahead_s

    def advance(self, seconds: float) -> None:
        if seconds < 0:
            raise ValueError("the clock only goes forward")
        self._ahead_s += seconds

    def reset(self) -> None:
        self._ahead_s = 0.0


def rfc3339(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, UTC).isoformat().replace("+00:00", "Z")
