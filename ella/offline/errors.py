"""
The provider's errors: one exception, one JSON shape, and which status goes with which type. It must never leak a
Python error to a client.
"""

import uuid
from collections.abc import Mapping
from enum import StrEnum
from typing import Any, NoReturn

from starlette.responses import JSONResponse


class ErrorType(StrEnum):
    """`error.type` as the provider spells it."""

    INVALID_REQUEST = "invalid_request_error"
    AUTHENTICATION = "authentication_error"
    BILLING = "billing_error"
    PERMISSION = "permission_error"
    NOT_FOUND = "not_found_error"
    CONFLICT = "conflict_error"
    TOO_LARGE = "request_too_large"
    RATE_LIMIT = "rate_limit_error"
    API = "api_error"
    TIMEOUT = "timeout_error"
    OVERLOADED = "overloaded_error"


STATUS = {
    ErrorType.INVALID_REQUEST: 400,
    ErrorType.AUTHENTICATION: 401,
    ErrorType.BILLING: 402,
    ErrorType.PERMISSION: 403,
    ErrorType.NOT_FOUND: 404,
    ErrorType.CONFLICT: 409,
    ErrorType.TOO_LARGE: 413,
    ErrorType.RATE_LIMIT: 429,
    ErrorType.API: 500,
    ErrorType.TIMEOUT: 504,
    ErrorType.OVERLOADED: 529,
}


class ProviderError(Exception):
    """A refusal that the client is to see as the provider would have sent it."""

    def __init__(self, error_type: ErrorType, message: str, *, headers: Mapping[str, str] | None = None) -> None:
        super().__init__(message)
        self.error_type = error_type
        self.message = message
        self.headers = dict(headers or {})

    @property
    def status(self) -> int:
        return STATUS[self.error_type]

    def body(self, request_id: str) -> dict[str, Any]:
        return error_body(self.error_type, self.message, request_id)

    def response(self, request_id: str) -> JSONResponse:
        headers = {**self.headers, "request-id": request_id}
        return JSONResponse(self.body(request_id), status_code=self.status, headers=headers)


def error_body(error_type: ErrorType, message: str, request_id: str) -> dict[str, Any]:
    """The `ErrorResponse` shape, as in an HTTP body, in an `error` event of a stream and in an errored batch item."""
    return {"type": "error", "error": {"type": str(error_type), "message": message}, "request_id": request_id}


def refuse(message: str) -> NoReturn:
    """Raise the 400 that names what is wrong with the request."""
    raise ProviderError(ErrorType.INVALID_REQUEST, message)


def new_id(prefix: str) -> str:
    return f"{prefix}_{uuid.uuid4().hex[:24]}"
