"""
A person at the REST API, as any client app would be: it knows addresses and JSON, and nothing of the house behind
them.
"""

from __future__ import annotations

import time
import uuid
from dataclasses import dataclass
from typing import Any, Self

import httpx2

READ_WITHIN_S = 40.0


class DemoFailed(Exception):
    """The house did not do what the script says it must."""


@dataclass(slots=True)
class ApiPerson:
    """One registered person and their first conversation."""

    http: httpx2.Client
    conversation: str

    @classmethod
    def register(cls, base_url: str, **profile: str) -> Self:
        http = httpx2.Client(base_url=f"{base_url}/api/v1", timeout=90)
        name = f"demo-{uuid.uuid4().hex[:8]}"
        answer = _json(http.post("/auth/register", json={"username": name, "password": uuid.uuid4().hex, **profile}))
        http.headers["Authorization"] = f"Token {answer['token']}"
        conversations = _json(http.get("/conversations"))
        return cls(http, conversations["results"][0]["id"])

    def say(self, text: str, client_id: str) -> dict[str, Any]:
        """Post one message and return `{turn, message, reply, boundary, disclosure}`."""
        body = {"text": text, "client_id": client_id}
        return _json(self.http.post(f"/conversations/{self.conversation}/messages", json=body))

    def trace(self, turn_id: str) -> dict[str, Any]:
        return _json(self.http.get(f"/turns/{turn_id}/trace"))

    def facts(self) -> list[dict[str, Any]]:
        facts: list[dict[str, Any]] = _json(self.http.get("/facts", params={"subject": "user", "page_size": 200}))[
            "results"
        ]
        return facts

    def wait_until_read(self, turn_id: str) -> str:
        """Until `remember` has read this exchange. Returns how it ended; a turn with nothing to read ends at once."""
        deadline = time.monotonic() + READ_WITHIN_S
        while time.monotonic() < deadline:
            memory = _json(self.http.get(f"/turns/{turn_id}"))["turn"]["memory"]
            if memory in (None, "done", "failed"):
                return memory or "nothing to read"
            time.sleep(0.1)
        raise DemoFailed(f"the exchange of turn {turn_id} was not read within {READ_WITHIN_S:g} s")


def _json(answer: httpx2.Response) -> dict[str, Any]:
    if answer.is_error:
        raise DemoFailed(
            f"{answer.request.method} {answer.request.url.path} answered {answer.status_code}: {answer.text[:300]}"
        )
    data: dict[str, Any] = answer.json()
    return data
