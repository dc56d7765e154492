"""
One request to the provider's API and its answer: read with a limit, logged, authenticated, perhaps failed on
purpose, answered, always with an id.

Endpoints are plain functions of an Exchange; whatever they raise becomes the provider's error JSON here, and
nowhere else.
"""

import asyncio
import json
import logging
from collections.abc import AsyncIterator, Awaitable, Callable, Collection, Mapping
from dataclasses import dataclass
from typing import Any

from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.types import Receive, Scope, Send

from ella.offline.clock import rfc3339
from ella.offline.errors import ErrorType, ProviderError, new_id, refuse
from ella.offline.failures import Failure, FailureName, Reach
from ella.offline.matching import Incoming
from ella.offline.requestlog import LoggedRequest
from ella.offline.state import StandInState
from ella.offline.streaming import Delivery, Pace, whole_body
from ella.offline.validation import check_headers

MAX_BODY_BYTES = 32 * 1024 * 1024
CONNECTION = "standin.connection"

logger = logging.getLogger(__name__)


@dataclass(slots=True)
class Exchange:
    """What an endpoint may look at, and its ways to answer."""

    http: Request
    state: StandInState
    request_id: str
    entry: LoggedRequest
    incoming: Incoming
    credential: str
    failure: Failure | None

    @property
    def body(self) -> Any:
        return self.incoming.body

    def hang_up(self) -> None:
        """Close the connection under the response, after what was written."""
        _transport(self.http.scope).close()

    async def send_json(self, payload: Mapping[str, Any], *, pace: Pace | None = None, deltas: int = 0) -> Response:
        """Answer with one JSON body, at a pace and with what goes wrong on the wire if something was asked to."""
        body = json.dumps(payload).encode()
        delivery = Delivery.plan(pace or Pace(), self.failure, self.hang_up)
        await self.before_first_byte(delivery.first_byte_s)
        headers = {"request-id": self.request_id}
        if delivery.failure is None and not delivery.token_s:
            self.entry.outcome = "sent"
            return Response(body, media_type="application/json", headers=headers)
        chunks = self.watched(whole_body(body, delivery, deltas))
        return StreamingResponse(chunks, media_type="application/json", headers=headers)

    async def before_first_byte(self, seconds: float) -> None:
        """Let so much time pass; ClientLeft when the client does not wait for it."""
        if not seconds:
            return
        try:
            async with asyncio.timeout(seconds):
                await _disconnected(self.http.receive)
        except TimeoutError:
            return
        raise ClientLeft

    async def watched(self, chunks: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
        """The same chunks; the log then knows whether they were all sent."""
        outcome = "left"
        try:
            async for chunk in chunks:
                yield chunk
            outcome = "sent"
        finally:
            self.entry.outcome = outcome


class ClientLeft(Exception):
    """The client closed the connection before the first byte was sent."""


class _NoResponse(Response):
    """The connection ends without a byte of an answer."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        _transport(scope).abort()
        await _disconnected(receive)


async def _disconnected(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass


def _transport(scope: Scope) -> Any:
    """
    The socket under this request: uvicorn's `send` is a method of the object that owns it; ASGI has no word for
    closing it.
    """
    transport = getattr(getattr(scope[CONNECTION], "__self__", None), "transport", None)
    if transport is None:
        raise RuntimeError("breaking a connection needs uvicorn's HTTP/1.1 protocol")
    return transport


Endpoint = Callable[[Exchange], Awaitable[Response]]
_PLAIN_REACHES = (Reach.REQUEST, Reach.WIRE)


def provider_endpoint(
    endpoint: Endpoint, *, reaches: Collection[Reach] = _PLAIN_REACHES, body_limit: int = MAX_BODY_BYTES
) -> Callable[[Request], Awaitable[Response]]:
    """
    Wrap an endpoint of the provider's API. `reaches`: which failures can happen to it; `body_limit`: bytes, above it
    413.
    """

    async def run(http: Request) -> Response:
        state: StandInState = http.app.state.standin
        raw, too_large = await _read(http, body_limit)
        entry = LoggedRequest(
            id=new_id("req"),
            at=rfc3339(state.clock.now()),
            method=http.method,
            path=http.url.path,
            headers={},
            raw=raw,
        )
        state.log.add(entry, http.headers)
        try:
            if too_large:
                raise ProviderError(ErrorType.TOO_LARGE, f"Request exceeds the maximum size of {body_limit} bytes")
            response = await _answer(http, state, entry, endpoint, reaches)
        except ProviderError as error:
            response = error.response(entry.id)
            entry.outcome = "sent"
        except ClientLeft:
            response = _NoResponse()
            entry.outcome = "left"
        except Exception:
            logger.exception("the stand-in failed on its own account")
            response = ProviderError(ErrorType.API, "Internal server error").response(entry.id)
            entry.outcome = "sent"
        entry.status = None if isinstance(response, _NoResponse) else response.status_code
        return response

    return run


async def _answer(
    http: Request, state: StandInState, entry: LoggedRequest, endpoint: Endpoint, reaches: Collection[Reach]
) -> Response:
    credential = check_headers(http.headers)
    body = _parse(entry.raw) if http.method == "POST" and entry.raw else None
    incoming = Incoming(http.method, http.url.path, http.headers, body)
    failure = state.failures.take(incoming, reaches)
    if failure is not None:
        entry.failure = str(failure.name)
        if failure.name is FailureName.CONNECTION_RESET:
            entry.outcome = "left"
            return _NoResponse()
        error = failure.error()
        if error is not None:
            raise error
    return await endpoint(Exchange(http, state, entry.id, entry, incoming, credential, failure))


async def _read(http: Request, limit: int) -> tuple[bytes, bool]:
    """The body, or what came of it before the limit and True."""
    declared = http.headers.get("content-length", "")
    if declared.isdigit() and int(declared) > limit:
        return b"", True
    chunks: list[bytes] = []
    size = 0
    async for chunk in http.stream():
        size += len(chunk)
        if size > limit:
            return b"", True
        chunks.append(chunk)
    return b"".join(chunks), False


def _parse(raw: bytes) -> Any:
    """
    The JSON of a body; refuse what is not strict JSON, and text that is not Unicode (a surrogate without its other
    half).
    """
    try:
        body = json.loads(raw, parse_constant=_no_constant)
        if b"\\ud" in raw.lower():
            json.dumps(body, ensure_ascii=False).encode()
    except RecursionError:
        refuse("The request body is not valid JSON: nested too deeply")
    except UnicodeEncodeError:
        refuse("The request body is not valid JSON: no low surrogate in string")
    except ValueError as error:
        refuse(f"The request body is not valid JSON: {error}")
    return body


def _no_constant(name: str) -> None:
    raise ValueError(f"{name} is not a JSON value")
