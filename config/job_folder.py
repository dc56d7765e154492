"""
A job broker that needs no server: a folder, one file for each message, made visible and taken by renaming, which is
atomic. Celery uses it where no `REDIS_URL` is set. It promises what that house needs and no more: a message is taken
once, never seen half written, and lost with the worker that held it, because the rows are the truth and the clock looks
for what waits. Why not one of Celery's own: docs/adr/0001-embedded-broker.md.
"""

from __future__ import annotations

import os
import time
import uuid
from collections import deque
from pathlib import Path
from queue import Empty
from typing import Any, ClassVar

from kombu.transport import TRANSPORT_ALIASES, virtual
from kombu.utils.json import dumps, loads

SCHEME = "folder"


class Channel(virtual.Channel):
    """
    `transport_options["folder"]` holds a folder for each queue. A name that starts with a dot belongs to whoever wrote
    it there: a message being written, or one that a worker has taken.
    """

    def __init__(self, connection: Any, **kwargs: Any) -> None:
        super().__init__(connection, **kwargs)  # type: ignore[no-untyped-call]
        self._seen: dict[str, deque[str]] = {}

    def _put(self, queue: str, message: dict[str, Any], **kwargs: Any) -> None:
        folder = self._folder(queue)
        folder.mkdir(parents=True, exist_ok=True)
        # Sorted by name is sorted by age. The wall clock, since a folder outlives a restart of the machine.
        name = f"{time.time_ns():020d}-{uuid.uuid4().hex}"
        hidden = folder / f".{name}"
        hidden.write_text(dumps(message), encoding="utf-8")
        hidden.rename(folder / name)

    def _get(self, queue: str, timeout: float | None = None) -> dict[str, Any]:
        folder = self._folder(queue)
        seen = self._seen.setdefault(queue, deque())
        if not seen:
            seen.extend(sorted(_visible(folder)))
        while seen:
            name = seen.popleft()
            mine = folder / f".{name}"
            try:
                (folder / name).rename(mine)
            except FileNotFoundError:  # another worker was first
                continue
            message: dict[str, Any] = loads(mine.read_text(encoding="utf-8"))
            mine.unlink()
            return message
        raise Empty

    def _size(self, queue: str) -> int:
        return len(_visible(self._folder(queue)))

    def _purge(self, queue: str) -> int:
        purged = 0
        for name in _visible(self._folder(queue)):
            try:
                (self._folder(queue) / name).unlink()
            except FileNotFoundError:
                continue
            purged += 1
        return purged

    def _folder(self, queue: str) -> Path:
        return Path(self.connection.client.transport_options["folder"]) / queue


def _visible(folder: Path) -> list[str]:
    try:
        return [name for name in os.listdir(folder) if not name.startswith(".")]
    except FileNotFoundError:
        return []


class Transport(virtual.Transport):
    """`transport_options["polling_interval"]` is the longest a message waits for an idle worker, in seconds."""

    Channel = Channel
    driver_type = driver_name = SCHEME
    default_connection_params: ClassVar[dict[str, object]] = {}  # a folder has no host


def register() -> None:
    """Let a broker address of `folder://` mean this transport."""
    TRANSPORT_ALIASES[SCHEME] = f"{__name__}:Transport"
