"""
A reply as server-sent events, at a chosen pace, with every way such a stream can go wrong.

The order of events is the provider's: message_start, ping, then for each block its start, deltas and stop, then
message_delta with the reason it stopped, then message_stop. No thread and no queue stands behind a stream: it is
one generator that sleeps.
"""

import asyncio
import json
from collections.abc import AsyncIterator, Callable, Iterator
from dataclasses import dataclass
from typing import Any

from ella.offline.errors import ErrorType, error_body
from ella.offline.failures import Failure, FailureName
from ella.offline.replies import Reply, how_far, in_deltas

SILENCE_S = 30.0
FIRST_BYTE_S = 10.0
PER_DELTA_S = 1.0
# Long enough for the closed connection to be noticed, after which nothing more is written.
_HANG_UP_S = 0.05
_CUMULATIVE = ("input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens")
_INTERRUPTIONS = (
    FailureName.SILENCE,
    FailureName.CUT_STREAM,
    FailureName.STREAM_ERROR,
    FailureName.MALFORMED_BODY,
)


@dataclass(slots=True)
class Pace:
    """Seconds: before the first byte, between two deltas, and how long a batch is worked on."""

    first_byte_s: float = 0.0
    token_s: float = 0.0
    batch_s: float = 0.0


@dataclass(frozen=True, slots=True)
class Delivery:
    """How one reply is sent: its pace, and what goes wrong on the way."""

    first_byte_s: float
    token_s: float
    failure: Failure | None
    hang_up: Callable[[], None]

    @classmethod
    def plan(cls, pace: Pace, failure: Failure | None, hang_up: Callable[[], None]) -> "Delivery":
        first_byte_s, token_s = pace.first_byte_s, pace.token_s
        if failure is not None and failure.name is FailureName.SLOW_FIRST_BYTE:
            first_byte_s = failure.number("seconds", FIRST_BYTE_S)
        if failure is not None and failure.name is FailureName.SLOW_TOKENS:
            token_s = failure.number("seconds", PER_DELTA_S)
        return cls(first_byte_s, token_s, failure, hang_up)

    def fails_by(self, name: FailureName) -> Failure | None:
        return self.failure if self.failure is not None and self.failure.name is name else None

    def interruption(self) -> Failure | None:
        """The failure that breaks into the sending, if there is one."""
        return self.failure if self.failure is not None and self.failure.name in _INTERRUPTIONS else None

    async def cut(self, failure: Failure) -> None:
        """End the response early: by closing the connection, or (`how=end`) as if this were all there is."""
        if failure.text("how", "close") == "close":
            self.hang_up()
            await asyncio.sleep(_HANG_UP_S)


async def whole_body(body: bytes, delivery: Delivery, deltas: int = 0) -> AsyncIterator[bytes]:
    """A response that is not streamed, as it is sent when something may go wrong with the sending."""
    silence = delivery.fails_by(FailureName.SILENCE)
    if silence is not None:
        await asyncio.sleep(silence.number("seconds", SILENCE_S))
    await asyncio.sleep(delivery.token_s * deltas)
    if delivery.fails_by(FailureName.MALFORMED_BODY) is not None:
        body = b'{"type": "message", "content": [' + body[: len(body) // 3]
    cut = delivery.fails_by(FailureName.CUT_STREAM)
    if cut is None:
        yield body
        return
    yield body[: len(body) // 2]
    await delivery.cut(cut)


@dataclass(frozen=True, slots=True)
class Step:
    """
    One event on the wire. `spoken`: a piece of the reply itself; `closing`: the event that tells why it stopped.
    """

    data: bytes
    paced: bool = False
    spoken: bool = False
    closing: bool = False


def script(head: dict[str, Any], reply: Reply, input_usage: dict[str, Any]) -> Iterator[Step]:
    """Every event of a stream that goes well. `head` is the message as it stands before its first word."""
    yield Step(_event("message_start", message=head))
    yield Step(_event("ping"))
    for index, block in enumerate(reply.blocks):
        yield Step(_event("content_block_start", index=index, content_block=_opening(block)))
        for delta in _deltas(block):
            spoken = delta["type"] in ("text_delta", "input_json_delta")
            data = _event("content_block_delta", index=index, delta=delta)
            yield Step(data, paced=True, spoken=spoken)
        yield Step(_event("content_block_stop", index=index))
    yield Step(_event("message_delta", **_ending(reply, input_usage)), closing=True)
    yield Step(_event("message_stop"))


async def events(steps: Iterator[Step], reply: Reply, delivery: Delivery, request_id: str) -> AsyncIterator[bytes]:
    """The stream as it is sent: paced, and interrupted where a failure asks for it."""
    failure = delivery.interruption()
    turning_point = _turning_point(reply, failure) if failure is not None else -1
    spoken = 0
    for step in steps:
        if failure is not None and _is_now(step, spoken, turning_point):
            if failure.name is FailureName.SILENCE:
                await asyncio.sleep(failure.number("seconds", SILENCE_S))
            elif failure.name is FailureName.STREAM_ERROR:
                yield _error_event(failure, request_id)
                return
            elif failure.name is FailureName.MALFORMED_BODY:
                yield b'event: content_block_delta\ndata: {"type": "content_block_delta", "index": \n\n'
                return
            else:
                await delivery.cut(failure)
                return
            failure = None
        if step.paced and delivery.token_s:
            await asyncio.sleep(delivery.token_s)
        yield step.data
        spoken += step.spoken


def _turning_point(reply: Reply, failure: Failure) -> int:
    """How many spoken deltas come before the failure; -1: not even the first event does."""
    told = "after_chars" in failure.params or "after_deltas" in failure.params
    if failure.name is FailureName.SILENCE and not told:
        return -1
    text = "".join(block["text"] for block in reply.blocks if block["type"] == "text")
    return len(in_deltas(text[: how_far(text, failure)]))


def _is_now(step: Step, spoken: int, turning_point: int) -> bool:
    return turning_point < 0 or (step.spoken and spoken >= turning_point) or step.closing


def _event(name: str, **fields: Any) -> bytes:
    return f"event: {name}\ndata: {json.dumps({'type': name, **fields})}\n\n".encode()


def _error_event(failure: Failure, request_id: str) -> bytes:
    error_type = ErrorType(failure.text("error", ErrorType.OVERLOADED))
    body = error_body(error_type, failure.text("message", "Overloaded"), request_id)
    return f"event: error\ndata: {json.dumps(body)}\n\n".encode()


def _opening(block: dict[str, Any]) -> dict[str, Any]:
    if block["type"] == "text":
        return {"type": "text", "text": ""}
    if block["type"] == "thinking":
        return {"type": "thinking", "thinking": "", "signature": ""}
    return {**block, "input": {}}


def _deltas(block: dict[str, Any]) -> Iterator[dict[str, Any]]:
    if block["type"] == "text":
        for piece in in_deltas(block["text"]):
            yield {"type": "text_delta", "text": piece}
    elif block["type"] == "thinking":
        for piece in in_deltas(block["thinking"]):
            yield {"type": "thinking_delta", "thinking": piece}
        yield {"type": "signature_delta", "signature": block["signature"]}
    else:
        yield {"type": "input_json_delta", "partial_json": json.dumps(block["input"])}


def _ending(reply: Reply, input_usage: dict[str, Any]) -> dict[str, Any]:
    delta = {"stop_reason": reply.stop_reason, "stop_sequence": reply.stop_sequence, "stop_details": reply.stop_details}
    cumulative = {name: input_usage[name] for name in _CUMULATIVE}
    return {"delta": delta, "usage": {**cumulative, **reply.usage()}}
