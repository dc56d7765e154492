"""
A whole house in processes of its own: web, worker, clock and the stand-in model, in a folder that is thrown away.

The demo plays in one, and whatever must see a process die starts one. It runs on this machine's loopback only, inherits
the environment it is given, and ends everything it began.
"""

from __future__ import annotations

import contextlib
import os
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Self

import httpx2

PROJECT = Path(__file__).resolve().parent.parent.parent
_START_TIMEOUT_S = 60.0
_STOP_TIMEOUT_S = 10.0


class HouseFailed(Exception):
    """A process did not start or did not stay; the message holds what it printed last."""


class House:
    """`with House() as house:` … `house.url`, `house.model_url`, `house.kill("worker")`, `house.start("worker")`."""

    def __init__(self, *, worker: bool = True, clock: bool = True, **environment: str) -> None:
        self._folder = tempfile.TemporaryDirectory(prefix="ella-house-", ignore_cleanup_errors=True)
        self.folder = Path(self._folder.name)
        self.web_port, self.model_port = _free_port(), _free_port()
        self.url = f"http://127.0.0.1:{self.web_port}"
        self.model_url = f"http://127.0.0.1:{self.model_port}"
        self._names = ["model", "web"] + ["worker"] * worker + ["clock"] * clock
        self._processes: dict[str, subprocess.Popen[bytes]] = {}
        self._logs: dict[str, IO[bytes]] = {}
        self.environment = {
            **os.environ,
            "VAR_DIR": str(self.folder),
            "OFFLINE_MODEL_URL": self.model_url,
            "MODEL_BASE_URL": self.model_url,
            "ANTHROPIC_API_KEY": "",
            "OPEN_REGISTRATION": "true",
            "TRAVELLING_CLOCK_FILE": str(self.folder / "clock"),
            "PYTHONUNBUFFERED": "1",
            **environment,
        }

    def __enter__(self) -> Self:
        try:
            self.manage("migrate", "--verbosity", "0")
            for name in self._names:
                self.start(name)
            self._wait_until_it_answers()
        except BaseException:
            self.stop()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def manage(self, *arguments: str) -> str:
        """Run one management command of this house and return what it printed."""
        command = [sys.executable, "manage.py", *arguments]
        done = subprocess.run(  # noqa: S603 (our own command line)
            command,
            cwd=PROJECT,
            env=self.environment,
            capture_output=True,
            text=True,
            check=False,
            stdin=subprocess.DEVNULL,
        )
        if done.returncode:
            raise HouseFailed(f"{' '.join(arguments)} ended with {done.returncode}: {done.stderr[-2000:]}")
        return done.stdout

    def start(self, name: str) -> None:
        log = self._logs.setdefault(name, (self.folder / f"{name}.log").open("ab"))
        self._processes[name] = subprocess.Popen(  # noqa: S603 (our own command line)
            [sys.executable, *self._command(name)],
            cwd=PROJECT,
            env=self.environment,
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            start_new_session=True,
        )
        if name == "web" and len(self._processes) == len(self._names):
            self._wait_until_it_answers()

    def kill(self, name: str) -> None:
        """`kill -9` the process and its children, as a machine that fails would."""
        process = self._processes.pop(name)
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait(_STOP_TIMEOUT_S)

    def pid(self, name: str) -> int:
        return self._processes[name].pid

    def log(self, name: str) -> str:
        return (self.folder / f"{name}.log").read_text(encoding="utf-8", errors="replace")

    def stop(self) -> None:
        for process in self._processes.values():
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGTERM)
        deadline = time.monotonic() + _STOP_TIMEOUT_S
        for process in self._processes.values():
            try:
                process.wait(max(deadline - time.monotonic(), 0.1))
            except subprocess.TimeoutExpired:
                with contextlib.suppress(ProcessLookupError):
                    os.killpg(process.pid, signal.SIGKILL)
                process.wait()
        self._processes.clear()
        for log in self._logs.values():
            log.close()
        self._folder.cleanup()

    def _command(self, name: str) -> list[str]:
        uvicorn = ["-m", "uvicorn", "--host", "127.0.0.1", "--no-access-log", "--port"]
        celery = ["-m", "celery", "-A", "config"]
        return {
            "model": [*uvicorn, str(self.model_port), "ella.offline.app:app"],
            "web": [*uvicorn, str(self.web_port), "config.asgi:application"],
            "worker": [*celery, "worker", "-Q", "house,model", "-c", "2", "--without-gossip", "--without-mingle"],
            "clock": [*celery, "beat"],
        }[name]

    def _wait_until_it_answers(self) -> None:
        for url in (f"{self.model_url}/health", f"{self.url}/health/live"):
            for _ in _patiently():
                if ended := [name for name, process in self._processes.items() if process.poll() is not None]:
                    raise HouseFailed(f"{ended[0]} ended while starting: {self.log(ended[0])[-2000:]}")
                with contextlib.suppress(httpx2.HTTPError):
                    if httpx2.get(url, timeout=2).is_success:
                        break
            else:
                raise HouseFailed(f"nothing answers at {url}: {self.log('web')[-2000:]}")


def _patiently() -> Iterator[None]:
    deadline = time.monotonic() + _START_TIMEOUT_S
    while time.monotonic() < deadline:
        yield
        time.sleep(0.05)


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
