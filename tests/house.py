"""
A whole house as it runs in life: a database, the web process, the stand-in model and, where asked for, a worker and its
clock, each a process of its own. For tests in a browser, for tests that kill a process, and for measurements.

    with House(with_worker=True) as house:
        visitor = house.visitor()
        visitor.say("Good morning")
        house.kill("web")
        house.start_web()

It is met over HTTP only; nothing here touches the ORM of the test's own process.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import uuid
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, Self

import httpx2

from tests.standin import PROJECT, StandIn

Part = Literal["web", "worker", "clock"]

_ADDRESS = re.compile(r"running on (http://127\.0\.0\.1:\d+)")
_START_TIMEOUT_S = 40.0
_STOP_TIMEOUT_S = 10.0
_PASSWORD = "gulls-over-the-quay-7"
# What would make this house another one: whatever the developer's own shell has set.
_SETTINGS = re.compile(
    r"ANTHROPIC_|BUDGET_|CONTEXT_|DATABASE_|DEBUG$|DJANGO_|HTTPS$|MAX_TOKENS_|MODEL_|OFFLINE_|REDIS_|STANDIN_|THROTTLE_|TURN_"
)


@dataclass
class Visitor:
    """Somebody with an account, a token and a first conversation, speaking to a house through its API."""

    username: str
    password: str
    http: httpx2.Client
    conversation: str

    @property
    def messages_url(self) -> str:
        return f"/api/v1/conversations/{self.conversation}/messages"

    def post(self, text: str, client_id: str | None = None) -> httpx2.Response:
        """Say it and wait for the whole answer, whatever it is."""
        return self.http.post(self.messages_url, json={"text": text, "client_id": client_id or uuid.uuid4().hex})

    def say(self, text: str, client_id: str | None = None) -> dict[str, Any]:
        """Say it and get the answer; fails where there is none."""
        answer = self.post(text, client_id)
        assert answer.status_code == 201, answer.text
        data: dict[str, Any] = answer.json()
        return data

    @contextlib.contextmanager
    def stream(self, text: str, client_id: str | None = None) -> Iterator[Iterator[tuple[str, dict[str, Any]]]]:
        """Say it and read the events as they come."""
        body = {"text": text, "client_id": client_id or uuid.uuid4().hex}
        headers = {"Accept": "text/event-stream"}
        with self.http.stream("POST", self.messages_url, json=body, headers=headers) as answer:
            assert answer.status_code == 200, answer.read()
            yield _events(answer.iter_lines())

    def messages(self) -> list[dict[str, Any]]:
        """What the conversation holds, oldest first."""
        rows: list[dict[str, Any]] = []
        url: str | None = f"{self.messages_url}?page_size=200"
        while url:
            page = self.http.get(url).raise_for_status().json()
            rows += page["results"]
            url = page["next"]
        return rows[::-1]


class House:
    """
    `env` overrides single settings (`{"TURN_TIME_LIMIT_S": "5"}`). Without `database_url` it lives in an SQLite file of
    its own; a database given to it must exist, is migrated and left as it is in the end. `standin` may be one that runs
    already. Logs of all processes are files in `logs` until the house is left.
    """

    def __init__(
        self,
        *,
        database_url: str = "",
        redis_url: str = "",
        with_worker: bool = False,
        with_clock: bool = False,
        first_byte_s: float = 0.0,
        token_s: float = 0.0,
        standin: StandIn | None = None,
        env: Mapping[str, str] | None = None,
    ) -> None:
        self.url = ""
        self.with_worker = with_worker
        self.with_clock = with_clock
        self._pace = {"first_byte_s": first_byte_s, "token_s": token_s}
        self._folder = Path(tempfile.mkdtemp(prefix="house-"))
        self.logs = self._folder / "logs"
        self.logs.mkdir()
        self._owns_standin = standin is None
        self.standin = standin or StandIn()
        self._processes: dict[Part, subprocess.Popen[bytes]] = {}
        self._visitors: list[Visitor] = []
        self._env = {
            **{name: value for name, value in os.environ.items() if not _SETTINGS.match(name)},
            "DJANGO_SETTINGS_MODULE": "config.settings",
            "VAR_DIR": str(self._folder / "var"),
            "DATABASE_URL": database_url,
            "REDIS_URL": redis_url,
            "SECRET_KEY": "a house for one test, and for nobody else's letters",
            "ANTHROPIC_API_KEY": "",
            "MODEL_BASE_URL": "",
            "OPEN_REGISTRATION": "true",
            "PYTHONUNBUFFERED": "1",
            **{f"THROTTLE_{name}": "1000000/min" for name in ("ANON", "USER", "MESSAGES", "LOGIN", "REGISTER")},
            **(env or {}),
        }

    def __enter__(self) -> Self:
        try:
            self.start()
        except BaseException:
            self.stop()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def start(self) -> None:
        """Migrate, and start everything; returns once it all answers."""
        if self._owns_standin:
            self.standin.start()
        self.standin.pace(**self._pace)
        self._env["OFFLINE_MODEL_URL"] = self._env["MODEL_BASE_URL"] = self.standin.url
        self.manage("migrate", "--verbosity=0")
        self.start_web()
        if self.with_worker:
            self.start_worker()
        if self.with_clock:
            self.start_clock()

    def stop(self) -> None:
        """End every process of this house and forget what it wrote. Safe to call twice and half way through a start."""
        for visitor in self._visitors:
            visitor.http.close()
        for part in tuple(self._processes):
            self._end(part, signal.SIGTERM)
        if self._owns_standin:
            self.standin.stop()
        shutil.rmtree(self._folder, ignore_errors=True)

    # --- Its processes -----------------------------------------------------------------------------------------------

    def process(self, part: Part) -> subprocess.Popen[bytes]:
        return self._processes[part]

    def start_web(self) -> None:
        """Also after a kill: at the same address as before, so that clients find it again."""
        port = self.url.rpartition(":")[2] or "0"
        command = ["uvicorn", "config.asgi:application", "--host", "127.0.0.1", "--port", port, "--lifespan", "off"]
        found = self._begin("web", [*command, "--no-access-log"], lambda log: _ADDRESS.search(log))
        self.url = found[1]

    def start_worker(self) -> None:
        """One worker for both queues, with one child."""
        command = ["celery", "--app", "config.celery", "worker", "--queues", "house,model", "--concurrency", "1"]
        self._begin("worker", [*command, "--loglevel", "INFO"], lambda log: re.search(r"\bready\b", log))

    def start_clock(self) -> None:
        command = ["celery", "--app", "config.celery", "beat", "--loglevel", "INFO"]
        self._begin("clock", command, lambda log: re.search(r"beat: Starting", log))

    def kill(self, part: Part) -> None:
        """`kill -9`, its children too: nothing of it gets to say goodbye."""
        self._end(part, signal.SIGKILL)

    def log(self, part: Part) -> str:
        """What it printed so far, over all its starts."""
        path = self.logs / f"{part}.log"
        return path.read_text(encoding="utf-8", errors="replace") if path.exists() else ""

    def manage(self, *arguments: str) -> str:
        """A management command of this house; its standard output. Fails with what it printed."""
        done = subprocess.run(
            [sys.executable, "manage.py", *arguments], cwd=PROJECT, env=self._env, capture_output=True, text=True
        )
        if done.returncode != 0:
            raise RuntimeError(f"manage.py {' '.join(arguments)} failed:\n{done.stdout}{done.stderr}")
        return done.stdout

    # --- Its people --------------------------------------------------------------------------------------------------

    def create_demo(self) -> dict[str, tuple[str, str]]:
        """The demo's two accounts: `person` and `moderator`, each `(username, password)`."""
        told = json.loads(self.manage("create_demo", "--json", "--force"))
        return {login["role"]: (login["username"], login["password"]) for login in told["logins"]}

    def visitor(self, username: str = "", **profile: str) -> Visitor:
        """Somebody new, registered through the API; `profile` as in `POST auth/register` (`country="PT"`)."""
        username = username or f"visitor-{uuid.uuid4().hex[:12]}"
        http = httpx2.Client(base_url=self.url, timeout=300.0)
        body = {"username": username, "password": _PASSWORD, **profile}
        login = http.post("/api/v1/auth/register", json=body)
        assert login.status_code == 201, login.text
        http.headers["Authorization"] = f"Token {login.json()['token']}"
        conversation = http.get("/api/v1/conversations").raise_for_status().json()["results"][0]["id"]
        visitor = Visitor(username, _PASSWORD, http, conversation)
        self._visitors.append(visitor)
        return visitor

    # --- How a process begins and ends -------------------------------------------------------------------------------

    def _begin(self, part: Part, command: list[str], is_up: Callable[[str], re.Match[str] | None]) -> re.Match[str]:
        already = len(self.log(part))
        with (self.logs / f"{part}.log").open("ab") as log:
            self._processes[part] = subprocess.Popen(
                [sys.executable, "-m", *command],
                cwd=PROJECT,
                env=self._env,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                # A group of its own: a worker's children end with it, and a Ctrl-C reaches only the test.
                start_new_session=True,
            )
        deadline = time.monotonic() + _START_TIMEOUT_S
        while time.monotonic() < deadline:
            if found := is_up(self.log(part)[already:]):
                return found
            if self._processes[part].poll() is not None:
                break
            time.sleep(0.05)
        raise RuntimeError(f"{part} did not start:\n{self.log(part)[already:]}")

    def _end(self, part: Part, how: signal.Signals) -> None:
        process = self._processes.pop(part)
        for sent in (how, signal.SIGKILL):
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, sent)
            try:
                process.wait(_STOP_TIMEOUT_S)
            except subprocess.TimeoutExpired:
                continue
            return


def _events(lines: Iterator[str]) -> Iterator[tuple[str, dict[str, Any]]]:
    name = ""
    for line in lines:
        if line.startswith("event: "):
            name = line.removeprefix("event: ")
        elif line.startswith("data: "):
            yield name, json.loads(line.removeprefix("data: "))
