"""
Asking a model: the exact request, and its answer as a stream of words or as a whole. The network and nothing but the
network.

No database here: a transaction or a connection held while a model speaks would stop the house. The caller begins a
call (calls.py), asks, and finishes it.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Mapping, Sequence
from typing import Any, Self

import anthropic
from anthropic.types import RawMessageStreamEvent
from django.conf import settings
from pydantic import BaseModel

from ella.llm.capabilities import capabilities
from ella.llm.client import async_client, sync_client
from ella.llm.outcome import CallOutcome
from ella.llm.progress import CallProgress
from ella.llm.purposes import purpose_config
from ella.llm.reply import WireEvent
from ella.llm.schema import output_schema_of
from ella.llm.sdk_errors import CALL_FAILURES


def build_request(
    purpose: str,
    system: Sequence[Mapping[str, Any]],
    messages: Sequence[Mapping[str, Any]],
    output_schema: type[BaseModel] | None = None,
    *,
    model: str | None = None,
    max_tokens: int | None = None,
) -> dict[str, Any]:
    """
    The request body, exactly as it will be sent and kept. `model` and `max_tokens` default to the purpose's own.

    Always streamed, a job's too: only so does the read timeout mean silence and not the length of the answer.
    """
    config = purpose_config(purpose)
    model = model or config.model
    able = capabilities(model)
    effort = config.effort if config.effort in able.efforts else None
    request: dict[str, Any] = {
        "model": model,
        "max_tokens": min(max_tokens or config.max_tokens, able.max_output_tokens),
        "stream": True,
    }
    if thinking := able.lowest_thinking(effort):
        request["thinking"] = {"type": thinking.value}
    output_config: dict[str, Any] = {}
    if effort:
        output_config["effort"] = effort.value
    if output_schema is not None:
        output_config["format"] = {"type": "json_schema", "schema": output_schema_of(output_schema)}
    if output_config:
        request["output_config"] = output_config
    if system:
        request["system"] = list(system)
    request["messages"] = list(messages)
    return request


class ReplyStream:
    """
    `async with stream_reply(payload) as stream: async for words in stream: …`, then `stream.outcome`.

    Gives text only; thinking is passed over. Raises ModelError with what had arrived attached. `outcome` may be read
    at any time. Leaving the block, or cancelling whoever reads, closes the connection.
    """

    def __init__(self, payload: Mapping[str, Any], *, headers: Mapping[str, str] | None, time_limit_s: float) -> None:
        self._payload = payload
        self._headers = headers
        self._progress = CallProgress(time_limit_s)
        self._stream: anthropic.AsyncStream[RawMessageStreamEvent] | None = None
        self._events: AsyncIterator[WireEvent] | None = None
        self._over = False

    @property
    def outcome(self) -> CallOutcome:
        return self._progress.outcome

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *exc_info: object) -> None:
        self._over = True
        await self._close()

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> str:
        while not self._over:
            try:
                # Around each wait and not around the whole: a timeout must not be open while the reader has the
                # words.
                async with asyncio.timeout(self._progress.time_left_s):
                    if text := await self._next_text():
                        return text
                self._progress.check_ending()
                self._over = True
            except CALL_FAILURES as exc:
                await self._close()
                error = self._progress.failed(exc)
                pause = self._progress.pause_before_retry(error)
                if pause is None:
                    self._over = True
                    raise error from exc
                await asyncio.sleep(pause)
        raise StopAsyncIteration

    async def _next_text(self) -> str:
        """The next words; empty at the end of the stream. Opens a try where none is open."""
        if self._events is None:
            self._events = await self._open()
        async for event in self._events:
            if text := self._progress.take(event):
                return text
        return ""

    async def _open(self) -> AsyncIterator[WireEvent]:
        self._progress.begin_try()
        self._stream = await async_client().messages.create(
            **{**self._payload, "stream": True}, extra_headers=self._headers
        )
        self._progress.heard_from(self._stream.response.headers.get("request-id"))
        # Undecoded events: a third of the SDK's typed ones in time (6 against 17 µs), which a process with 500 open
        # replies feels.
        return anthropic.AsyncStream.raw_events(self._stream.response)

    async def _close(self) -> None:
        stream, self._stream, self._events = self._stream, None, None
        if stream is not None:
            await stream.close()


def stream_reply(
    payload: Mapping[str, Any], *, headers: Mapping[str, str] | None = None, time_limit_s: float | None = None
) -> ReplyStream:
    """
    A reply as it is written. The limit (default TURN_TIME_LIMIT_S) covers the call with all its tries; it counts from
    here, so ask and read without delay.
    """
    return ReplyStream(payload, headers=headers, time_limit_s=_limit(time_limit_s))


def ask(
    payload: Mapping[str, Any], *, headers: Mapping[str, str] | None = None, time_limit_s: float | None = None
) -> CallOutcome:
    """The whole answer, for jobs. The same rules as `stream_reply`; blocks the thread."""
    progress = CallProgress(_limit(time_limit_s))
    while True:
        progress.begin_try()
        try:
            _read_whole(payload, headers, progress)
        except CALL_FAILURES as exc:
            error = progress.failed(exc)
            pause = progress.pause_before_retry(error)
            if pause is None:
                raise error from exc
        else:
            return progress.outcome
        time.sleep(pause)


def _read_whole(payload: Mapping[str, Any], headers: Mapping[str, str] | None, progress: CallProgress) -> None:
    with sync_client().messages.create(**{**payload, "stream": True}, extra_headers=headers) as stream:
        progress.heard_from(stream.response.headers.get("request-id"))
        for event in anthropic.Stream.raw_events(stream.response):
            progress.take(event)
            # A server that only sends pings is never silent, so the read timeout alone would wait for ever.
            progress.check_time()
    progress.check_ending()


def _limit(time_limit_s: float | None) -> float:
    return settings.TURN_TIME_LIMIT_S if time_limit_s is None else time_limit_s
