"""
Failures on demand: their names, their parameters, and the queue that hands each to the next request it is meant for.

A test asks for a failure by header (`x-standin-fail: rate_limit;retry_after=3600`, this request only) or through
the control endpoint (the next n matching requests). A name or a parameter that does not exist is refused, so that a
misspelt test cannot pass by failing nothing.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from ella.offline.errors import ErrorType, ProviderError, refuse
from ella.offline.fields import must_be_times
from ella.offline.matching import Incoming, Match

HEADER = "x-standin-fail"

Value = float | str


class Reach(StrEnum):
    """What a failure can happen to."""

    REQUEST = "any request, before it is read"
    ANSWER = "a reply, whether it is sent at once, streamed or part of a batch"
    WIRE = "the sending of a reply over HTTP"
    ITEM = "one item of a batch"


class FailureName(StrEnum):
    RATE_LIMIT = "rate_limit"
    OVERLOADED = "overloaded"
    SERVER_ERROR = "server_error"
    GATEWAY_TIMEOUT = "gateway_timeout"
    BAD_REQUEST = "bad_request"
    AUTHENTICATION = "authentication"
    BILLING = "billing"
    PERMISSION = "permission"
    NOT_FOUND = "not_found"
    CONFLICT = "conflict"
    TOO_LARGE = "too_large"
    NO_SYSTEM_ROLE = "no_system_role"
    CONNECTION_RESET = "connection_reset"
    MALFORMED_BODY = "malformed_body"
    SLOW_FIRST_BYTE = "slow_first_byte"
    SLOW_TOKENS = "slow_tokens"
    SILENCE = "silence"
    CUT_STREAM = "cut_stream"
    STREAM_ERROR = "stream_error"
    REFUSAL = "refusal"
    MAX_TOKENS = "max_tokens"
    CONTEXT_WINDOW = "context_window"
    PAUSE_TURN = "pause_turn"
    TOOL_USE = "tool_use"
    MALFORMED_OUTPUT = "malformed_output"
    THINKING_FIRST = "thinking_first"
    EMPTY = "empty"
    BATCH_ITEM_ERRORED = "batch_item_errored"
    BATCH_ITEM_EXPIRED = "batch_item_expired"
    BATCH_ITEM_CANCELED = "batch_item_canceled"


@dataclass(frozen=True, slots=True)
class _Kind:
    """What a failure happens to, the parameters it takes, and the error it is answered with."""

    reach: Reach
    params: frozenset[str] = frozenset()
    error: tuple[ErrorType, str] | None = None


_AFTER = ("after_chars", "after_deltas")


def _status(error_type: ErrorType, message: str, *params: str) -> _Kind:
    return _Kind(Reach.REQUEST, frozenset({"message", *params}), (error_type, message))


def _kind(reach: Reach, *params: str) -> _Kind:
    return _Kind(reach, frozenset(params))


_KINDS: dict[FailureName, _Kind] = {
    FailureName.RATE_LIMIT: _status(ErrorType.RATE_LIMIT, "This request would exceed your rate limit.", "retry_after"),
    FailureName.OVERLOADED: _status(ErrorType.OVERLOADED, "Overloaded", "retry_after"),
    FailureName.SERVER_ERROR: _status(ErrorType.API, "Internal server error"),
    FailureName.GATEWAY_TIMEOUT: _status(ErrorType.TIMEOUT, "The request timed out while it was processed."),
    FailureName.BAD_REQUEST: _status(ErrorType.INVALID_REQUEST, "The request is not valid."),
    FailureName.AUTHENTICATION: _status(ErrorType.AUTHENTICATION, "invalid x-api-key"),
    FailureName.BILLING: _status(ErrorType.BILLING, "Your credit balance is too low."),
    FailureName.PERMISSION: _status(ErrorType.PERMISSION, "Your API key has no permission for this resource."),
    FailureName.NOT_FOUND: _status(ErrorType.NOT_FOUND, "The requested resource was not found."),
    FailureName.CONFLICT: _status(ErrorType.CONFLICT, "The resource was changed by another request."),
    FailureName.TOO_LARGE: _status(ErrorType.TOO_LARGE, "Request exceeds the maximum size"),
    FailureName.NO_SYSTEM_ROLE: _status(ErrorType.INVALID_REQUEST, "role 'system' is not supported on this model"),
    FailureName.CONNECTION_RESET: _kind(Reach.REQUEST),
    FailureName.MALFORMED_BODY: _kind(Reach.WIRE),
    FailureName.SLOW_FIRST_BYTE: _kind(Reach.WIRE, "seconds"),
    FailureName.SLOW_TOKENS: _kind(Reach.WIRE, "seconds"),
    FailureName.SILENCE: _kind(Reach.WIRE, "seconds", *_AFTER),
    FailureName.CUT_STREAM: _kind(Reach.WIRE, "how", *_AFTER),
    FailureName.STREAM_ERROR: _kind(Reach.WIRE, "error", "message", *_AFTER),
    FailureName.REFUSAL: _kind(Reach.ANSWER, "category", "explanation", *_AFTER),
    FailureName.MAX_TOKENS: _kind(Reach.ANSWER, *_AFTER),
    FailureName.CONTEXT_WINDOW: _kind(Reach.ANSWER, *_AFTER),
    FailureName.PAUSE_TURN: _kind(Reach.ANSWER, *_AFTER),
    FailureName.TOOL_USE: _kind(Reach.ANSWER, "name"),
    FailureName.MALFORMED_OUTPUT: _kind(Reach.ANSWER),
    FailureName.THINKING_FIRST: _kind(Reach.ANSWER, "text"),
    FailureName.EMPTY: _kind(Reach.ANSWER),
    FailureName.BATCH_ITEM_ERRORED: _kind(Reach.ITEM, "error", "message"),
    FailureName.BATCH_ITEM_EXPIRED: _kind(Reach.ITEM),
    FailureName.BATCH_ITEM_CANCELED: _kind(Reach.ITEM),
}
_NUMBERS = {"retry_after", "seconds", *_AFTER}
_CHOICES = {
    "how": ("close", "end"),
    "category": ("cyber", "bio", "frontier_llm", "reasoning_extraction", "general_harms"),
    "error": tuple(ErrorType),
}


@dataclass(slots=True)
class Failure:
    """One failure to happen: to how many more requests, and to which."""

    name: FailureName
    params: Mapping[str, Value] = field(default_factory=dict)
    match: Match = field(default_factory=Match)
    times: int = 1

    @property
    def reach(self) -> Reach:
        return _KINDS[self.name].reach

    def number(self, param: str, default: float) -> float:
        value = self.params.get(param, default)
        return value if isinstance(value, float) else default

    def text(self, param: str, default: str) -> str:
        return str(self.params.get(param, default))

    def error(self) -> ProviderError | None:
        """The error this failure is answered with, if it is that sort of failure."""
        planned = _KINDS[self.name].error
        if planned is None:
            return None
        error_type, message = planned
        headers = {}
        if "retry_after" in self.params:
            headers["retry-after"] = f"{self.number('retry_after', 0):g}"
        return ProviderError(error_type, self.text("message", message), headers=headers)

    def as_json(self) -> dict[str, Any]:
        return {"fail": str(self.name), "times": self.times, **self.params}

    def concerns(self, incoming: Incoming, reaches: Collection[Reach]) -> bool:
        """Whether this failure can happen to such a request at all, before its match is asked."""
        if self.reach not in reaches:
            return False
        if self.name is FailureName.STREAM_ERROR:
            return incoming.streams
        if self.name is FailureName.NO_SYSTEM_ROLE:
            return _has_system_message(incoming.body)
        return True


def read_failure(name: Any, params: Mapping[str, Any], match: Match, times: Any) -> Failure:
    """Build a failure from what a test asked for; refuse what does not exist."""
    if name not in list(FailureName):
        refuse(f"fail: there is no failure named {name!r}; there are: {', '.join(FailureName)}")
    must_be_times(times)
    kind = _KINDS[FailureName(name)]
    checked: dict[str, Value] = {}
    for param, value in params.items():
        if param not in kind.params:
            refuse(f"{param}: '{name}' takes {', '.join(sorted(kind.params)) or 'no parameter'}")
        if param in _NUMBERS:
            try:
                checked[param] = float(value)
            except (TypeError, ValueError):
                refuse(f"{param}: Input should be a number")
        elif param in _CHOICES and value not in _CHOICES[param]:
            refuse(f"{param}: Input should be one of {', '.join(_CHOICES[param])}")
        else:
            checked[param] = str(value)
    return Failure(FailureName(name), checked, match, times)


def read_header(value: str) -> Failure:
    """`name;key=value;key=value` as one failure for the request that carries it."""
    name, *pairs = (part.strip() for part in value.split(";"))
    params = dict(pair.partition("=")[::2] for pair in pairs if pair)
    return read_failure(name, params, Match(path="*"), 1)


class FailureQueue:
    """Failures waiting for their requests, in the order they were asked for."""

    def __init__(self) -> None:
        self._waiting: list[Failure] = []

    def add(self, failure: Failure) -> None:
        self._waiting.append(failure)

    def clear(self) -> None:
        self._waiting.clear()

    def waiting(self) -> list[Failure]:
        return list(self._waiting)

    def take(self, incoming: Incoming, reaches: Collection[Reach]) -> Failure | None:
        """
        The failure of one of these reaches that happens to this request, used up by one; the header comes first.
        """
        header = incoming.headers.get(HEADER)
        if header:
            failure = read_header(header)
            return failure if failure.concerns(incoming, reaches) else None
        for failure in self._waiting:
            if failure.concerns(incoming, reaches) and failure.match.accepts(incoming):
                failure.times -= 1
                if failure.times <= 0:
                    self._waiting.remove(failure)
                return failure
        return None


def _has_system_message(body: Any) -> bool:
    messages = body.get("messages") if isinstance(body, dict) else None
    if not isinstance(messages, list):
        return False
    return any(isinstance(message, dict) and message.get("role") == "system" for message in messages)
