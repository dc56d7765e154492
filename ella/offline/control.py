"""
`/control/…`: how a test or a demo tells the stand-in what to do, and asks what it was sent.

Only for the machine it runs on: everything here is refused to any other address, because the log shows what people
wrote.
"""

import ipaddress
import json
from collections.abc import Awaitable, Callable
from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import BaseRoute, Route

from ella.offline.errors import ErrorType, ProviderError, new_id, refuse
from ella.offline.failures import read_failure
from ella.offline.fields import must_be, must_have_only
from ella.offline.matching import read_match
from ella.offline.pages import read_limit
from ella.offline.replies import read_chosen
from ella.offline.state import StandInState

Handler = Callable[[StandInState, Request, Any], Any]


def _add_failure(state: StandInState, _: Request, body: Any) -> Any:
    must_be("body", body, dict)
    params = {name: value for name, value in body.items() if name not in ("fail", "times", "match")}
    failure = read_failure(body.get("fail"), params, read_match(body.get("match")), body.get("times", 1))
    state.failures.add(failure)
    return _waiting(state)


def _show_failures(state: StandInState, _: Request, __: Any) -> Any:
    return _waiting(state)


def _clear_failures(state: StandInState, _: Request, __: Any) -> Any:
    state.failures.clear()
    return _waiting(state)


def _waiting(state: StandInState) -> dict[str, Any]:
    return {"waiting": [failure.as_json() for failure in state.failures.waiting()]}


def _add_reply(state: StandInState, _: Request, body: Any) -> Any:
    must_have_only("", body, required=(), optional=("text", "json", "content", "stop_reason", "times", "match"))
    state.replies.waiting.append(read_chosen(body, read_match(body.get("match"))))
    return {"waiting": len(state.replies.waiting)}


def _clear_replies(state: StandInState, _: Request, __: Any) -> Any:
    state.replies.waiting.clear()
    return {"waiting": 0}


def _show_requests(state: StandInState, http: Request, _: Any) -> Any:
    query = http.query_params
    limit = read_limit(query.get("limit", "1000"))
    found = state.log.find(contains=query.get("contains"), path=query.get("path"), limit=limit)
    return {"data": [entry.as_json() for entry in found]}


def _clear_requests(state: StandInState, _: Request, __: Any) -> Any:
    state.log.clear()
    return {"data": []}


def _set_pace(state: StandInState, _: Request, body: Any) -> Any:
    must_have_only("", body, required=(), optional=("first_byte_s", "token_s", "batch_s"))
    for name, value in body.items():
        setattr(state.pace, name, _seconds(name, value))
    return {"first_byte_s": state.pace.first_byte_s, "token_s": state.pace.token_s, "batch_s": state.pace.batch_s}


def _advance_clock(state: StandInState, _: Request, body: Any) -> Any:
    must_have_only("", body, required=("advance_s",))
    state.clock.advance(_seconds("advance_s", body["advance_s"]))
    return {"now": state.clock.now()}


def _reset(state: StandInState, _: Request, __: Any) -> Any:
    state.reset()
    return {"reset": True}


def _seconds(name: str, value: Any) -> float:
    if not isinstance(value, int | float) or isinstance(value, bool) or value < 0:
        refuse(f"{name}: Input should be a number of seconds, zero or more")
    return float(value)


def _from_this_machine(http: Request) -> bool:
    if http.client is None:
        return False
    try:
        address = ipaddress.ip_address(http.client.host)
    except ValueError:
        return False
    mapped = getattr(address, "ipv4_mapped", None)
    return address.is_loopback or (mapped is not None and mapped.is_loopback)


def _control(handler: Handler) -> Callable[[Request], Awaitable[Response]]:
    async def run(http: Request) -> Response:
        try:
            if not _from_this_machine(http):
                raise ProviderError(ErrorType.PERMISSION, "control is only for the machine the stand-in runs on")
            raw = await http.body()
            try:
                body = json.loads(raw) if raw else {}
            except ValueError as error:
                refuse(f"The request body is not valid JSON: {error}")
            return JSONResponse(handler(http.app.state.standin, http, body))
        except ProviderError as error:
            return error.response(new_id("req"))

    return run


def control_routes() -> list[BaseRoute]:
    return [
        Route("/control/failures", _control(_add_failure), methods=["POST"]),
        Route("/control/failures", _control(_show_failures), methods=["GET"]),
        Route("/control/failures", _control(_clear_failures), methods=["DELETE"]),
        Route("/control/replies", _control(_add_reply), methods=["POST"]),
        Route("/control/replies", _control(_clear_replies), methods=["DELETE"]),
        Route("/control/requests", _control(_show_requests), methods=["GET"]),
        Route("/control/requests", _control(_clear_requests), methods=["DELETE"]),
        Route("/control/pace", _control(_set_pace), methods=["POST"]),
        Route("/control/clock", _control(_advance_clock), methods=["POST"]),
        Route("/control/reset", _control(_reset), methods=["POST"]),
    ]
