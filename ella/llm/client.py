"""
The SDK's clients, made from settings when first needed: one for all threads of a process, one for each running event
loop. The only module that holds the key.

The SDK's own retries are off (progress.py has ours), redirects are not followed (a prompt goes to our host or
nowhere), and the read timeout bounds the first byte and every later gap.
"""

from __future__ import annotations

import asyncio
import os
import threading
from dataclasses import dataclass
from typing import Final
from weakref import WeakKeyDictionary

import anthropic
import httpx2
from django.conf import settings

PROVIDER_URL: Final = "https://api.anthropic.com"
# The stand-in takes any key, the SDK insists on one.
_NO_KEY: Final = "no-key"
# A turn holds one connection while the model speaks; how many turns run at once is decided elsewhere, not by a full
# pool. Few idle ones: the pool looks at each of them whenever a reply ends.
_LIMITS: Final = httpx2.Limits(max_connections=2_000, max_keepalive_connections=50, keepalive_expiry=30)


@dataclass(frozen=True, slots=True)
class _Wiring:
    base_url: str
    api_key: str
    connect_s: float
    read_s: float
    through_proxy: bool

    @classmethod
    def from_settings(cls) -> _Wiring:
        return cls(
            base_url=settings.MODEL_BASE_URL or PROVIDER_URL,
            api_key=settings.ANTHROPIC_API_KEY or _NO_KEY,
            connect_s=settings.MODEL_CONNECT_TIMEOUT_S,
            read_s=settings.MODEL_FIRST_BYTE_TIMEOUT_S,
            # A proxy named in the environment is for the outside world; the stand-in is next door.
            through_proxy=settings.MODEL_CONNECTED,
        )

    @property
    def timeout(self) -> httpx2.Timeout:
        return httpx2.Timeout(self.read_s, connect=self.connect_s, pool=self.connect_s)


_sync: tuple[_Wiring, anthropic.Anthropic] | None = None
_sync_lock = threading.Lock()
_by_loop: WeakKeyDictionary[asyncio.AbstractEventLoop, tuple[_Wiring, anthropic.AsyncAnthropic]] = WeakKeyDictionary()


def sync_client() -> anthropic.Anthropic:
    """This process's client; threads share it."""
    global _sync
    wiring = _Wiring.from_settings()
    with _sync_lock:
        if _sync is None or _sync[0] != wiring:
            transport = anthropic.DefaultHttpxClient(
                limits=_LIMITS, timeout=wiring.timeout, follow_redirects=False, trust_env=wiring.through_proxy
            )
            client = anthropic.Anthropic(
                api_key=wiring.api_key,
                base_url=wiring.base_url,
                timeout=wiring.timeout,
                max_retries=0,
                http_client=transport,
            )
            _sync = (wiring, client)
        return _sync[1]


def async_client() -> anthropic.AsyncAnthropic:
    """The running event loop's client; its connections belong to that loop and to no other."""
    loop = asyncio.get_running_loop()
    wiring = _Wiring.from_settings()
    held = _by_loop.get(loop)
    if held is not None and held[0] == wiring:
        return held[1]
    _forget_closed_loops()
    transport = anthropic.DefaultAsyncHttpxClient(
        limits=_LIMITS, timeout=wiring.timeout, follow_redirects=False, trust_env=wiring.through_proxy
    )
    client = anthropic.AsyncAnthropic(
        api_key=wiring.api_key, base_url=wiring.base_url, timeout=wiring.timeout, max_retries=0, http_client=transport
    )
    _by_loop[loop] = (wiring, client)
    return client


def _forget_closed_loops() -> None:
    """
    A client's open connections keep its loop alive, so a closed loop would never leave the dictionary by itself.
    """
    for loop in [loop for loop in _by_loop if loop.is_closed()]:
        del _by_loop[loop]


def _forget_all() -> None:
    """In a forked child: its parent's sockets are not its own."""
    global _sync, _sync_lock
    _sync, _sync_lock = None, threading.Lock()
    _by_loop.clear()


os.register_at_fork(after_in_child=_forget_all)
