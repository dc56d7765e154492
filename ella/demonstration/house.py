"""
A whole house in processes of its own, in a folder that is thrown away: what the demo plays in, and what a test starts
that must see a process die. It runs on this machine's loopback only and ends everything it began.

Its parts are started as `manage.py up` starts them (`ella/house_parts.py`); here each can be killed and started again.
"""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Self

import httpx2

from ella.house_parts import Address, parts
from ella.process_group import Part

PROJECT = Path(__file__).resolve().parent.parent.parent
_START_WITHIN_S = 60.0
_STOP_WITHIN_S = 10.0
# All that is taken over from the shell it is started in: whatever else is set there would make it another house.
_KEPT = re.compile(r"(PATH|HOME|USER|LANG|LANGUAGE|TMPDIR|TEMP|TMP|TERM|SYSTEMROOT|VIRTUAL_ENV)\Z|LC_|PYTHON|COVERAGE")


class HouseFailed(Exception):
    """A process did not start or did not stay; the message holds what it printed last."""


class House:
    """
    `with House() as house:` … `house.url`, `house.model_url`, `house.kill("worker")`, `house.start("worker")`.

    `parts` of `web`, `worker`, `clock`; the stand-in model is one more, unless `model_url` names one that runs.
    Settings are the defaults, with what `environment` sets. Without a DATABASE_URL there it lives in an SQLite file.
    """

    def __init__(
        self,
        *,
        parts: Sequence[str] = ("web", "worker", "clock"),
        model_url: str = "",
        environment: Mapping[str, str] | None = None,
    ) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="ella-house-"))
        self.logs = self.folder / "logs"
        self.logs.mkdir()
        self._web = Address.free()
        self._model = None if model_url else Address.free()
        self.url, self.model_url = str(self._web), model_url or str(self._model)
        self._wanted = [*(["model"] if self._model else []), *parts]
        self._processes: dict[str, subprocess.Popen[bytes]] = {}
        self.environment = {
            **{name: value for name, value in os.environ.items() if _KEPT.match(name)},
            "VAR_DIR": str(self.folder / "var"),
            "ENV_FILE": str(self.folder / "no.env"),
            "OFFLINE_MODEL_URL": self.model_url,
            "MODEL_BASE_URL": self.model_url,
            "OPEN_REGISTRATION": "true",
            "TRAVELLING_CLOCK_FILE": str(self.folder / "clock"),
            **(environment or {}),
        }

    def __enter__(self) -> Self:
        try:
            self.manage("migrate", "--verbosity", "0")
            for name in self._wanted:
                self._begin(name)
            for name in self._wanted:
                self._wait_for(name)
        except BaseException:
            self.stop()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def manage(self, *arguments: str) -> str:
        """Run one management command of this house and return what it printed. Raises HouseFailed."""
        done = subprocess.run(  # noqa: S603 (our own command line)
            [sys.executable, "manage.py", *arguments],
            cwd=PROJECT,
            env=self.environment,
            capture_output=True,
            text=True,
            check=False,
            stdin=subprocess.DEVNULL,
        )
        if done.returncode:
            raise HouseFailed(f"manage.py {' '.join(arguments)} failed:\n{(done.stdout + done.stderr)[-3000:]}")
        return done.stdout

    def start(self, name: str) -> None:
        """Start a part that was killed, at the address it had; returns once it works."""
        self._begin(name)
        self._wait_for(name)

    def kill(self, name: str) -> None:
        """`kill -9` the process and its children, as a machine that fails would."""
        self._end(name, signal.SIGKILL)

    def process(self, name: str) -> subprocess.Popen[bytes]:
        return self._processes[name]

    def log(self, name: str) -> str:
        """What it printed so far, over all its starts."""
        path = self.logs / f"{name}.log"
        return path.read_text(encoding="utf-8", errors="replace") if path.exists() else ""

    def stop(self) -> None:
        """End every process and forget what it wrote. Safe to call twice, and half way through a start."""
        for name in reversed(tuple(self._processes)):
            self._end(name, signal.SIGTERM)
        shutil.rmtree(self.folder, ignore_errors=True)

    def _part(self, name: str) -> Part:
        return next(part for part in parts(self._web, self._model) if part.name == name)

    def _begin(self, name: str) -> None:
        part = self._part(name)
        with (self.logs / f"{name}.log").open("ab") as log:
            self._processes[name] = subprocess.Popen(  # noqa: S603 (our own command line)
                part.argv,
                cwd=PROJECT,
                env={**part.environment, **self.environment},
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                # A group of its own: a worker's children end with it, and a Ctrl-C reaches only who started the house.
                start_new_session=True,
            )

    def _wait_for(self, name: str) -> None:
        """A web process and a model answer; a worker and a clock need only stay."""
        address = {"web": f"{self.url}/health/live", "model": f"{self.model_url}/health"}.get(name)
        deadline = time.monotonic() + _START_WITHIN_S
        while time.monotonic() < deadline:
            if self._processes[name].poll() is not None:
                raise HouseFailed(f"{name} ended while starting:\n{self.log(name)[-3000:]}")
            if address is None:
                return
            with contextlib.suppress(httpx2.HTTPError):
                if httpx2.get(address, timeout=2).is_success:
                    return
            time.sleep(0.05)
        raise HouseFailed(f"nothing answers at {address}:\n{self.log(name)[-3000:]}")

    def _end(self, name: str, how: signal.Signals) -> None:
        process = self._processes.pop(name)
        for sent in (how, signal.SIGKILL):
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, sent)
            try:
                process.wait(_STOP_WITHIN_S)
            except subprocess.TimeoutExpired:
                continue
            return
