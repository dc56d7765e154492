"""`manage.py up`, which is `make run`: one command, a whole house, and nothing of it left behind."""

import http.client
import os
import re
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from tests.running.test_process_group import is_gone, soon

HOUSE = Path(__file__).resolve().parent.parent.parent
READY_WITHIN_S = 90.0


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


class Running:
    """`manage.py up` in a folder of its own. What it prints is in `said()`."""

    def __init__(self, folder: Path, *options: str, port: int | None = None) -> None:
        self.port, self.model_port = port or free_port(), free_port()
        self._log = folder / "up.log"
        environment = {name: value for name, value in os.environ.items() if name not in ("DATABASE_URL", "REDIS_URL")}
        environment |= {"VAR_DIR": str(folder / "var"), "ENV_FILE": os.devnull, "ANTHROPIC_API_KEY": ""}
        where = ("--port", str(self.port), "--model-port", str(self.model_port))
        with self._log.open("wb") as log:
            self.process = subprocess.Popen(
                [sys.executable, "manage.py", "up", *where, *options],
                cwd=HOUSE,
                env=environment,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )

    def said(self) -> str:
        return self._log.read_text(errors="replace")

    def wait_until_at_home(self) -> list[psutil.Process]:
        """Every process of the house, once it has said where it is."""
        assert soon(lambda: "Ctrl-C ends" in self.said() or self.process.poll() is not None, READY_WITHIN_S)
        assert self.process.poll() is None, self.said()
        return psutil.Process(self.process.pid).children(recursive=True)

    def end(self) -> None:
        if self.process.poll() is None:
            self.process.terminate()
            self.process.wait(30)


@pytest.fixture
def up(tmp_path: Path) -> Iterator[Running]:
    running = Running(tmp_path)
    yield running
    running.end()


def command_lines(processes: list[psutil.Process]) -> str:
    return "\n".join(" ".join(process.cmdline()) for process in processes)


def status(port: int, path: str) -> int:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=10)
    try:
        connection.request("GET", path)
        return connection.getresponse().status
    finally:
        connection.close()


def test_it_starts_every_part_tells_where_it_is_and_ends_all_of_it_at_ctrl_c(up: Running) -> None:
    processes = up.wait_until_at_home()
    lines = command_lines(processes)
    for started in ("config.asgi:application", "ella.offline.app:app", "worker", "beat"):
        assert started in lines
    said = up.said()
    assert f"http://127.0.0.1:{up.port}/" in said
    assert re.search(r"^person: demo / \S+$", said, re.M)
    assert re.search(r"^moderator: moderator / \S+$", said, re.M)
    assert "No language model is connected" in said
    assert status(up.port, "/health/ready") == 200
    assert status(up.port, "/register/") == 200  # whoever runs a house at home may let people in
    assert status(up.model_port, "/health") == 200
    up.process.send_signal(signal.SIGINT)
    assert up.process.wait(30) == 0, up.said()
    assert [process for process in processes if not is_gone(process.pid)] == []


def test_a_part_that_dies_ends_the_house_by_name(up: Running) -> None:
    processes = up.wait_until_at_home()
    clock = next(process for process in processes if "beat" in process.cmdline())
    clock.kill()
    assert up.process.wait(30) == 128 + signal.SIGKILL
    assert "“clock” ended by itself" in up.said()
    assert [process for process in processes if not is_gone(process.pid)] == []


def test_the_house_ends_with_its_leader_even_if_that_is_killed(up: Running) -> None:
    processes = up.wait_until_at_home()
    up.process.kill()
    up.process.wait()
    assert soon(lambda: all(is_gone(process.pid) for process in processes), 30)


def test_a_taken_port_is_named_with_the_option_that_changes_it(tmp_path: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        running = Running(tmp_path, port=taken.getsockname()[1])
        assert running.process.wait(60) == 1
        said = running.said()
    assert f"Port {running.port} on 127.0.0.1 is taken" in said
    assert "--port" in said
    assert "Traceback" not in said
    assert not (tmp_path / "var" / "ella.sqlite3").exists()
    with pytest.raises(ConnectionRefusedError):
        status(running.model_port, "/health")


def test_the_stand_in_runs_alone(tmp_path: Path) -> None:
    port = free_port()
    alone = subprocess.Popen(
        [sys.executable, "manage.py", "offline_model", "--port", str(port)],
        cwd=HOUSE,
        # As a shell would start it: what this machine sets for itself must not be what makes it speak.
        env={
            **{name: value for name, value in os.environ.items() if name != "PYTHONUNBUFFERED"},
            "VAR_DIR": str(tmp_path),
        },
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        assert alone.stdout is not None
        assert "It is no language model" in alone.stdout.readline()
        latest = time.monotonic() + 30
        while True:
            try:
                assert status(port, "/health") == 200
                break
            except ConnectionRefusedError:
                assert time.monotonic() < latest
                time.sleep(0.05)
    finally:
        alone.terminate()
        alone.wait(20)
        alone.stdout.close()
