"""
Several processes that live and end together: started in order, their lines told to one listener, all of them ended
when one ends, when the group is left, or when the process holding it dies in whatever way (`process_guard`). It knows
nothing of what the processes do, and never leaves one behind.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from queue import Empty, SimpleQueue
from threading import Thread
from types import TracebackType
from typing import Self

from ella.process_guard import signal_if_there

GUARD = Path(__file__).with_name("process_guard.py")
# Long enough for a worker to finish a short task and for open answers to be told; what still runs then is killed, and
# the clock's sweeps pick up its work.
STOP_WITHIN_S = 8.0


@dataclass(frozen=True, slots=True)
class Part:
    """One process: `argv` as `exec` takes it, `environment` on top of this process's own."""

    name: str
    argv: Sequence[str]
    environment: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Ended:
    """A part that ended; `returncode` is negative for a signal, as in `subprocess`."""

    name: str
    returncode: int

    def __str__(self) -> str:
        how = f"killed by signal {-self.returncode}" if self.returncode < 0 else f"exit code {self.returncode}"
        return f"“{self.name}” ended by itself ({how})"


class ProcessGroup:
    """
    A context manager: entering starts every part, leaving ends them all. `tell(name, line)` hears every line they
    print, from a thread for each part.
    """

    def __init__(self, parts: Sequence[Part], *, tell: Callable[[str, str], None], cwd: Path) -> None:
        self._parts = parts
        self._tell = tell
        self._cwd = cwd
        self._running: dict[str, subprocess.Popen[str]] = {}
        self._watchers: list[Thread] = []
        self._ended: SimpleQueue[Ended | None] = SimpleQueue()
        self._guard: subprocess.Popen[str] | None = None

    def __enter__(self) -> Self:
        self._guard = subprocess.Popen(  # noqa: S603 (our own file)
            [sys.executable, "-I", "-S", str(GUARD)], stdin=subprocess.PIPE, text=True, start_new_session=True
        )
        try:
            for part in self._parts:
                self._start(part)
        except BaseException:
            self.stop()
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()

    def pid(self, name: str) -> int:
        return self._running[name].pid

    def first_to_end(self, timeout: float | None = None) -> Ended | None:
        """The first part to end; None when `timeout` seconds passed or `interrupt` was called before that."""
        try:
            return self._ended.get(timeout=timeout)
        except Empty:
            return None

    def interrupt(self) -> None:
        """Let `first_to_end` return now. May be called from a signal handler."""
        self._ended.put(None)

    def stop(self) -> None:
        """Ask every part to stop, kill what has not within STOP_WITHIN_S, and come back when all are gone."""
        for process in self._running.values():
            # Only the first process of each part: a job worker ends its own children in its own order.
            if process.poll() is None:
                process.terminate()
        latest = time.monotonic() + STOP_WITHIN_S
        for process in self._running.values():
            try:
                process.wait(max(0.0, latest - time.monotonic()))
            except subprocess.TimeoutExpired:
                continue
        self.kill()

    def kill(self) -> None:
        """End every part and all it started at once."""
        for process in self._running.values():
            signal_if_there(process.pid, signal.SIGKILL, whole_group=True)
            process.wait()
        for watcher in self._watchers:
            watcher.join()
        self._running.clear()
        self._watchers.clear()
        if self._guard is not None and self._guard.stdin is not None:
            # Killed, not told: by the time it read on, the numbers it knows could be another program's.
            self._guard.kill()
            self._guard.stdin.close()
            self._guard.wait()
            self._guard = None

    def _start(self, part: Part) -> None:
        process = subprocess.Popen(  # noqa: S603 (our own command line, no shell)
            part.argv,
            cwd=self._cwd,
            env={**os.environ, **part.environment},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
            # A group of its own: Ctrl-C in the terminal reaches the leader alone, which ends the parts in order.
            start_new_session=True,
        )
        self._running[part.name] = process
        if self._guard is not None and self._guard.stdin is not None:
            self._guard.stdin.write(f"{process.pid}\n")
            self._guard.stdin.flush()
        watcher = Thread(target=self._watch, args=(part.name, process), daemon=True)
        self._watchers.append(watcher)
        watcher.start()

    def _watch(self, name: str, process: subprocess.Popen[str]) -> None:
        if process.stdout is not None:
            with process.stdout:
                for line in process.stdout:
                    self._tell(name, line.rstrip("\n"))
        self._ended.put(Ended(name, process.wait()))
