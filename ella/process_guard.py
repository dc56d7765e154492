"""
The last one out: a tiny process that ends what a process group started, should the group's leader die without doing so
itself (`kill -9`, a crash). It is told process ids, a line each, on a pipe that only the leader holds open; the end of
that pipe is the leader's death, on Linux and on macOS alike. It must import nothing but the standard library, and
never end a process it was not told of.
"""

import os
import signal
import sys
import time
from typing import TextIO

GRACE_S = 5.0
LOOK_EVERY_S = 0.05


def told_until_the_end(pipe: TextIO) -> set[int]:
    """The groups to look after when the pipe ended. A leader that ends its parts itself ends this process first."""
    return {int(line) for line in pipe}


def is_there(group: int) -> bool:
    try:
        os.killpg(group, 0)
    except (ProcessLookupError, PermissionError):  # macOS says the latter of a group of which only a zombie is left
        return False
    return True


def end(groups: set[int]) -> None:
    """Ask each group's first process to stop, and make whole groups stop that have not within the grace."""
    for group in groups:
        signal_if_there(group, signal.SIGTERM, whole_group=False)
    latest = time.monotonic() + GRACE_S
    while time.monotonic() < latest and any(is_there(group) for group in groups):
        time.sleep(LOOK_EVERY_S)
    for group in groups:
        signal_if_there(group, signal.SIGKILL, whole_group=True)


def signal_if_there(group: int, signum: signal.Signals, *, whole_group: bool) -> None:
    try:
        (os.killpg if whole_group else os.kill)(group, signum)
    except (ProcessLookupError, PermissionError):
        return


if __name__ == "__main__":
    end(told_until_the_end(sys.stdin))
