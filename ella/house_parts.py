"""
Which processes make a house on one machine, and how each is started: web, worker, clock and, where no language model
is connected, the stand-in. It only says; `process_group` starts them.
"""

from __future__ import annotations

import os
import socket
import sys
from dataclasses import dataclass
from http import HTTPStatus
from http.client import HTTPConnection, HTTPException
from typing import Self
from urllib.parse import urlsplit

from django.conf import settings

from ella.process_group import Part

READY_TIMEOUT_S = 5
# Open event streams are told and closed within this when the web process is asked to stop.
WEB_STOPS_WITHIN_S = 3
WORKER_PROCESSES = 2


@dataclass(frozen=True, slots=True)
class Address:
    host: str
    port: int

    def __str__(self) -> str:
        return f"http://{f'[{self.host}]' if ':' in self.host else self.host}:{self.port}"

    @classmethod
    def free(cls) -> Self:
        """A port of this machine's loopback that nothing listened on a moment ago."""
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            return cls("127.0.0.1", probe.getsockname()[1])

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
    """Everything a house needs, in the order in which it is started; without `model` no stand-in."""
    environment = {
        "DJANGO_SETTINGS_MODULE": "config.settings",
        # Whoever starts a whole house on one machine is at home: people may register unless told otherwise.
        "OPEN_REGISTRATION": os.environ.get("OPEN_REGISTRATION", "true"),
        "PYTHONUNBUFFERED": "1",
    }
    if model is not None:
        environment |= {"OFFLINE_MODEL_URL": str(model), "MODEL_BASE_URL": str(model)}
    celery = (sys.executable, "-m", "celery", "--quiet", "-A", "config")
    worker = ("--queues", "house,model", "--concurrency", str(WORKER_PROCESSES), "--loglevel", "WARNING")
    only_one = ("--without-gossip", "--without-mingle", "--without-heartbeat")
    stand_in = [Part("model", _uvicorn("ella.offline.app:app", model), environment)] if model is not None else []
    return [
        *stand_in,
        Part("web", _uvicorn("config.asgi:application", web), environment),
        Part("worker", (*celery, "worker", *worker, *only_one), environment),
        Part("clock", (*celery, "beat", "--loglevel", "WARNING"), environment),
    ]


def _uvicorn(app: str, address: Address) -> tuple[str, ...]:
    where = ("--host", address.host, "--port", str(address.port))
    quiet = ("--log-level", "warning", "--no-access-log", "--no-server-header")
    stopping = ("--timeout-graceful-shutdown", str(WEB_STOPS_WITHIN_S))
    return (sys.executable, "-m", "uvicorn", app, *where, *quiet, *stopping)


def is_ready(web: Address) -> bool:
    """Whether the house answers at this address that all its parts work."""
    connection = HTTPConnection(web.host, web.port, timeout=READY_TIMEOUT_S)
    try:
        connection.request("GET", "/health/ready")
        return connection.getresponse().status == HTTPStatus.OK
    except (OSError, HTTPException):
        return False
    finally:
        connection.close()
