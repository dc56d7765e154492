"""Processes that live and end together, whatever ends first: tried with small ones that print, sleep and misbehave."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import psutil
import pytest

from ella import process_group
from ella.process_group import Ended, Part, ProcessGroup

HOUSE = Path(__file__).resolve().parent.parent.parent
# A part that has a child of its own, says both numbers, and waits.
WITH_A_CHILD = (
    "import os, subprocess, sys, time;"
    "child = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(60)']);"
    "print(os.getpid(), child.pid, flush=True); time.sleep(60)"
)
DEAF = "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); print('deaf', flush=True); time.sleep(60)"


def part(name: str, code: str) -> Part:
    return Part(name, (sys.executable, "-c", code), {})


def soon(look: Callable[[], bool], seconds: float = 20.0) -> bool:
    """Whether it comes true within so many seconds."""
    latest = time.monotonic() + seconds
    while not look():
        if time.monotonic() > latest:
            return False
        time.sleep(0.02)
    return True


def is_gone(pid: int) -> bool:
    try:
        return psutil.Process(pid).status() == psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return True


@pytest.fixture
def heard() -> list[tuple[str, str]]:
    return []


def group_of(heard: list[tuple[str, str]], *parts: Part) -> ProcessGroup:
    return ProcessGroup(parts, tell=lambda name, line: heard.append((name, line)), cwd=HOUSE)


def test_each_line_is_told_with_the_name_of_its_part(heard: list[tuple[str, str]]) -> None:
    with group_of(heard, part("a", "print('one')"), part("b", "import sys; print('two', file=sys.stderr)")) as group:
        group.first_to_end()
        group.first_to_end()
    assert sorted(heard) == [("a", "one"), ("b", "two")]


def test_the_first_to_end_is_named_with_its_exit_code(heard: list[tuple[str, str]]) -> None:
    with group_of(heard, part("stays", "import time; time.sleep(60)"), part("goes", "raise SystemExit(7)")) as group:
        assert group.first_to_end(timeout=20) == Ended("goes", 7)


def test_nothing_is_left_when_the_group_is_left_not_even_what_a_part_started(heard: list[tuple[str, str]]) -> None:
    with group_of(heard, part("parent", WITH_A_CHILD)):
        assert soon(lambda: len(heard) == 1)
    assert soon(lambda: all(is_gone(int(pid)) for pid in heard[0][1].split()), seconds=5)


def test_a_part_that_does_not_listen_is_killed(heard: list[tuple[str, str]], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(process_group, "STOP_WITHIN_S", 0.3)
    with group_of(heard, part("deaf", DEAF)) as group:
        assert soon(lambda: len(heard) == 1)
        pid = group.pid("deaf")
    assert is_gone(pid)


def test_a_part_that_cannot_be_started_leaves_none_of_the_others(heard: list[tuple[str, str]]) -> None:
    group = group_of(heard, part("first", "import time; time.sleep(60)"), Part("none", ("/does/not/exist",), {}))
    before = set(psutil.Process().children(recursive=True))
    with pytest.raises(FileNotFoundError), group:
        raise AssertionError("it was entered")
    assert all(child in before for child in psutil.Process().children(recursive=True))


def test_parts_end_when_the_leader_is_killed(tmp_path: Path) -> None:
    leader = tmp_path / "leader.py"
    leader.write_text(
        "from pathlib import Path\n"
        "import sys\n"
        "from ella.process_group import Part, ProcessGroup\n"
        f"parts = [Part('parent', (sys.executable, '-c', {WITH_A_CHILD!r}), {{}})]\n"
        "with ProcessGroup(parts, tell=lambda name, line: print(line, flush=True), cwd=Path.cwd()) as group:\n"
        "    group.first_to_end()\n"
    )
    process = subprocess.Popen(
        [sys.executable, leader], stdout=subprocess.PIPE, text=True, env={**os.environ, "PYTHONPATH": str(HOUSE)}
    )
    assert process.stdout is not None
    with process.stdout:
        pids = [int(pid) for pid in process.stdout.readline().split()]
        assert len(pids) == 2
        process.send_signal(signal.SIGKILL)
        process.wait()
        assert soon(lambda: all(is_gone(pid) for pid in pids))
