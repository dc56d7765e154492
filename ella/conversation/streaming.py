"""
A turn belongs to the person, not to the connection that asked for it: it runs in a task of its own and goes on when
the client goes away. What is here carries its events to whoever is still listening, as server-sent events or as the
last one alone.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator

from ella.conversation.events import Event, EventName
from ella.conversation.services import OpenedTurn
from ella.conversation.turn import answer_turn

# Tasks the event loop would otherwise forget (it keeps only weak references).
_running: set[asyncio.Task[None]] = set()


async def follow_turn(opened: OpenedTurn) -> AsyncIterator[Event]:
    """The events of a turn, which runs to its end whether or not anybody follows."""
    queue: asyncio.Queue[Event | Exception | None] = asyncio.Queue()

    async def run() -> None:
        try:
            async for event in answer_turn(opened):
                queue.put_nowait(event)
        except Exception as error:
            queue.put_nowait(error)
        finally:
            queue.put_nowait(None)

    task = asyncio.create_task(run())
    _running.add(task)
    task.add_done_callback(_running.discard)
    while (item := await queue.get()) is not None:
        if isinstance(item, Exception):
            raise item
        yield item


async def last_event(opened: OpenedTurn) -> Event:
    """Only how the turn ended: `done` or `error`."""
    last = Event(EventName.ERROR)
    async for event in follow_turn(opened):
        last = event
    return last


async def event_stream(opened: OpenedTurn) -> AsyncIterator[bytes]:
    """Server-sent events (WHATWG HTML, section 9.2): one JSON document per event, on one line."""
    async for event in follow_turn(opened):
        yield f"event: {event.name.value}\ndata: {json.dumps(event.data, ensure_ascii=False)}\n\n".encode()
