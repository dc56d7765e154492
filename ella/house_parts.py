"""
Which processes make a house on one machine, and how each is started: web, worker, clock and, where no language model
is connected, the stand-in. It only says; `process_group` starts them.
"""

from __future__ import annotations

import socket
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable
from dataclasses import dataclass
from urllib.parse import urlsplit

from django.conf import settings

from ella.process_group import Part

LOOK_EVERY_S = 0.1
# Open event streams are told and closed within this when the web process is asked to stop.
WEB_STOPS_WITHIN_S = 3
WORKER_PROCESSES = 2


@dataclass(frozen=True, slots=True)
class Address:
    host: str
    port: int

    def __str__(self) -> str:
        return f"http://{f'[{self.host}]' if ':' in self.host else self.host}:{self.port}"

    def is_free(self) -> bool:
        """Whether a server could listen there now."""
        family, kind, protocol, _, where = socket.getaddrinfo(self.host, self.port, type=socket.SOCK_STREAM)[0]
        with socket.socket(family, kind, protocol) as attempt:
            # As servers do: a port whose last connections are still closing is free.
            attempt.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                attempt.bind(where)
            except OSError:
                return False
        return True


def stand_in_address() -> Address | None:
    """Where the stand-in model has to listen; None where the house asks another server."""
    if settings.MODEL_BASE_URL != settings.OFFLINE_MODEL_URL:
        return None
    url = urlsplit(settings.OFFLINE_MODEL_URL)
    return Address(url.hostname or "127.0.0.1", url.port or 80)


def parts(web: Address, model: Address | None) -> list[Part]:
    """Everything a house needs, in the order in which it is started."""
    # Whoever starts a house like this is alone with it: people may register unless the environment says otherwise.
    environment = {
        "DJANGO_SETTINGS_MODULE": "config.settings",
        "OPEN_REGISTRATION": "true" if settings.OPEN_REGISTRATION_FROM_ENV is None else str(settings.OPEN_REGISTRATION),
        "PYTHONUNBUFFERED": "1",
    }
    celery = (sys.executable, "-m", "celery", "-A", "config", "--quiet")
    worker = ("--queues", "house,model", "--concurrency", str(WORKER_PROCESSES), "--loglevel", "WARNING")
    alone = ("--without-gossip", "--without-mingle", "--without-heartbeat")
    found = [
        Part("web", uvicorn("config.asgi:application", web), environment),
        Part("worker", (*celery, "worker", *worker, *alone), environment),
        Part("clock", (*celery, "beat", "--loglevel", "WARNING"), environment),
    ]
    if model is not None:
        stand_in = Part("model", uvicorn("ella.offline.app:app", model), environment)
        return [stand_in, *(Part(each.name, each.argv, environment | {"OFFLINE_MODEL_URL": str(model)}) for each in found)]
    return found
