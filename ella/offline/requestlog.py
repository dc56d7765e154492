"""
The last requests that reached the stand-in, so that a test can say what a model was and was not shown.

Credentials are left out before anything is kept. Bounded twice, by number and by bytes: a long run must never grow
the process.
"""

import json
from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ella.offline.matching import strings_in

MAX_REQUESTS = 1_000
MAX_BYTES = 64 * 1024 * 1024
_CREDENTIALS = {"authorization", "x-api-key", "cookie", "proxy-authorization"}


@dataclass(slots=True)
class LoggedRequest:
    """
    One request and what became of it. `outcome`: open, sent, or left (the client went away or the connection was
    cut).
    """

    id: str
    at: str
    method: str
    path: str
    headers: dict[str, str]
    raw: bytes
    status: int | None = None
    usage: dict[str, Any] | None = None
    stop_reason: str | None = None
    failure: str | None = None
    outcome: str = "open"

    def body(self) -> Any:
        """The JSON that was sent, or its text where it is not JSON; None for an empty body."""
        if not self.raw:
            return None
        try:
            return json.loads(self.raw)
        except ValueError:
            return self.raw.decode("utf-8", "replace")

    def as_json(self) -> dict[str, Any]:
        shown = ("id", "at", "method", "path", "headers", "status", "usage", "stop_reason", "failure", "outcome")
        return {name: getattr(self, name) for name in shown} | {"body": self.body()}


class RequestLog:
    def __init__(self) -> None:
        self._requests: deque[LoggedRequest] = deque()
        self._bytes = 0

    def add(self, entry: LoggedRequest, headers: Mapping[str, str]) -> None:
        entry.headers = {name: value for name, value in headers.items() if name not in _CREDENTIALS}
        self._requests.append(entry)
        self._bytes += len(entry.raw)
        while len(self._requests) > MAX_REQUESTS or (self._bytes > MAX_BYTES and len(self._requests) > 1):
            self._bytes -= len(self._requests.popleft().raw)

    def clear(self) -> None:
        self._requests.clear()
        self._bytes = 0

    def find(self, *, contains: str | None, path: str | None, limit: int) -> list[LoggedRequest]:
        """The latest matching requests, oldest first. `contains` is looked for in every string of the body."""
        found: list[LoggedRequest] = []
        for entry in reversed(self._requests):
            if len(found) >= limit:
                break
            if path is not None and entry.path != path:
                continue
            if contains is None or any(contains in text for text in strings_in(entry.body())):
                found.append(entry)
        return found[::-1]
