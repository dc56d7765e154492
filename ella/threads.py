"""
Where asynchronous code meets the database: short synchronous steps, run in a few worker threads, each with a
connection it gives back at once.

A turn that waits for a model therefore holds no connection and none of these threads. Nothing here may be used for work
that waits on the network.
"""

from __future__ import annotations

import asyncio
import contextvars
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import cache, partial
from typing import ParamSpec, TypeVar

from asgiref.sync import sync_to_async
from django.conf import settings
from django.db import close_old_connections, connections

P = ParamSpec("P")
R = TypeVar("R")


@cache
def _pool(size: int) -> ThreadPoolExecutor:
    return ThreadPoolExecutor(max_workers=size, thread_name_prefix="database")


async def in_database(step: Callable[P, R], /, *args: P.args, **kwargs: P.kwargs) -> R:
    """Run one synchronous database step off the event loop and hand back its result or its exception."""
    if settings.DATABASE_THREADS == 0:
        return await sync_to_async(step, thread_sensitive=True)(*args, **kwargs)
    context = contextvars.copy_context()
    call = partial(context.run, partial(_with_own_connection, partial(step, *args, **kwargs)))
    return await asyncio.get_running_loop().run_in_executor(_pool(settings.DATABASE_THREADS), call)


def release_connection() -> None:
    """Give this thread's connection back before waiting for anything that is not the database."""
    for connection in connections.all(initialized_only=True):
        if not connection.in_atomic_block:
            connection.close()


def _with_own_connection(step: Callable[[], R]) -> R:
    close_old_connections()
    try:
        return step()
    finally:
        close_old_connections()
