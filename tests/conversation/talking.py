"""A person talking, as tests do it: through the API, with client ids of their own."""

from __future__ import annotations

import json
import uuid
from dataclasses import dataclass
from typing import Any

from rest_framework.test import APIClient

from ella.conversation.models import Conversation
from ella.memory.reading import read_waiting_exchanges
from ella.people.models import Person


@dataclass
class Talk:
    api: APIClient
    conversation: str

    @classmethod
    def of(cls, api: APIClient, person: Person) -> Talk:
        return cls(api, str(Conversation.objects.for_owner(person.pk).get().pk))

    @property
    def url(self) -> str:
        return f"/api/v1/conversations/{self.conversation}/messages"

    def post(self, text: Any, client_id: str | None = None, **headers: str) -> Any:
        body = {"text": text, "client_id": client_id or uuid.uuid4().hex}
        # Escaped, so that text no encoder takes (half a character) can be sent as a client would send it.
        return self.api.post(self.url, json.dumps(body), content_type="application/json", **headers)

    def say(self, text: str, client_id: str | None = None) -> dict[str, Any]:
        """Say it and get the answer; fails where there is none."""
        answer = self.post(text, client_id)
        assert answer.status_code == 201, answer.content
        data: dict[str, Any] = answer.json()
        return data

    def events(self, text: str, client_id: str | None = None) -> list[tuple[str, dict[str, Any]]]:
        """Say it and get the event stream, whole."""
        answer = self.post(text, client_id, HTTP_ACCEPT="text/event-stream")
        assert answer.status_code == 200, answer.content
        return parse_events(b"".join(answer).decode())

    def remember(self) -> int:
        """Let the job read what waits, as a worker would."""
        return read_waiting_exchanges(uuid.UUID(self.conversation))

    def messages(self) -> list[dict[str, Any]]:
        """What the conversation holds, oldest first."""
        found: list[dict[str, Any]] = self.api.get(f"{self.url}?page_size=200").json()["results"]
        return found[::-1]


def parse_events(stream: str) -> list[tuple[str, dict[str, Any]]]:
    """`event:`/`data:` pairs, as a client reads them."""
    events = []
    for block in filter(None, stream.split("\n\n")):
        name, data = block.split("\n")
        events.append((name.removeprefix("event: "), json.loads(data.removeprefix("data: "))))
    return events
