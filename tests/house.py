"""
A whole house as it runs in life: a database, the web process, the stand-in model and, where asked for, a worker and its
clock, each a process of its own. For tests in a browser, for tests that kill a process, and for measurements.

    with House(with_worker=True) as house:
        visitor = house.visitor()
        visitor.say("Good morning")
        house.kill("web")
        house.start("web")

It is met over HTTP only; nothing here touches the ORM of the test's own process.
"""

from __future__ import annotations

import contextlib
import json
import uuid
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import httpx2

from ella.demonstration import house as demonstration
from tests.standin import StandIn

_PASSWORD = "gulls-over-the-quay-7"


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


class House(demonstration.House):
    """
    The demo's house with what tests ask of one: chosen parts, a stand-in that may be shared, people. `env` overrides
    single settings (`{"TURN_TIME_LIMIT_S": "5"}`). A database given to it must exist, is migrated and left as it is.
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
        self._owns_standin = standin is None
        self.standin = standin or StandIn()
        if self._owns_standin:
            self.standin.start()
        self.standin.pace(first_byte_s=first_byte_s, token_s=token_s)
        self._visitors: list[Visitor] = []
        super().__init__(
            parts=["web", *(["worker"] if with_worker else []), *(["clock"] if with_clock else [])],
            model_url=self.standin.url,
            environment={
                "DATABASE_URL": database_url,
                "REDIS_URL": redis_url,
                **{f"THROTTLE_{name}": "1000000/min" for name in ("ANON", "USER", "MESSAGES", "LOGIN", "REGISTER")},
                **(env or {}),
            },
        )

    def stop(self) -> None:
        for visitor in self._visitors:
            visitor.http.close()
        super().stop()
        if self._owns_standin:
            self.standin.stop()

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


def _events(lines: Iterator[str]) -> Iterator[tuple[str, dict[str, Any]]]:
    name = ""
    for line in lines:
        if line.startswith("event: "):
            name = line.removeprefix("event: ")
        elif line.startswith("data: "):
            yield name, json.loads(line.removeprefix("data: "))
