"""
The one place where an exception of the SDK, or of the HTTP client beneath it, becomes a ModelError. Nothing else in
the house catches those.

What the SDK wraps happened before the response began; what arrives raw broke off while its stream was read.
"""

from __future__ import annotations

from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Final

import anthropic
import httpx2

from ella.llm.errors import ErrorCode, LayoutNotAccepted, ModelError

# Everything a call may raise besides a bug of ours.
CALL_FAILURES: Final = (ModelError, anthropic.AnthropicError, httpx2.HTTPError, TimeoutError)

_BY_STATUS: Final = {
    400: ErrorCode.BAD_REQUEST,
    401: ErrorCode.NOT_AUTHORISED,
    402: ErrorCode.BILLING,
    403: ErrorCode.NOT_AUTHORISED,
    404: ErrorCode.NOT_FOUND,
    408: ErrorCode.TIMEOUT,
    409: ErrorCode.UNAVAILABLE,
    413: ErrorCode.CONTEXT_EXCEEDED,
    429: ErrorCode.RATE_LIMITED,
    529: ErrorCode.OVERLOADED,
}
# The provider gives these no code of their own, so its words are all there is to tell them by.
_NO_SYSTEM_IN_MESSAGES: Final = "role 'system' is not supported on this model"
_PROMPT_TOO_LONG: Final = "prompt is too long"


def from_sdk(exc: Exception) -> ModelError:
    """The ModelError for any of `CALL_FAILURES`; a ModelError is given back as it is."""
    match exc:
        case ModelError():
            return exc
        case anthropic.APIStatusError():
            return _from_status(exc)
        case anthropic.APITimeoutError() | anthropic.APIConnectionError():
            return _from_transport(exc.__cause__ or exc, before_response=True)
        case anthropic.APIResponseValidationError():
            return ModelError(ErrorCode.MALFORMED, "the provider's response has another shape than its SDK expects")
        case anthropic.AnthropicError():
            # Raised by the client itself before anything is sent: no usable credential.
            return ModelError(ErrorCode.NOT_AUTHORISED, str(exc))
    return _from_transport(exc, before_response=False)


def _from_status(exc: anthropic.APIStatusError) -> ModelError:
    detail = exc.api_message or exc.message
    request_id = exc.request_id or ""
    if exc.status_code == 200:
        return ModelError(ErrorCode.STREAM_ERROR, f"{exc.type or 'unknown'}: {detail}", request_id=request_id)
    if exc.status_code == 400 and _NO_SYSTEM_IN_MESSAGES in detail:
        return LayoutNotAccepted(detail, request_id=request_id)
    code = _BY_STATUS.get(exc.status_code)
    if code is None:
        # 3xx: MODEL_BASE_URL points somewhere that sends us on, and the payload is not to follow.
        code = ErrorCode.UNAVAILABLE if exc.status_code >= 500 else ErrorCode.BAD_REQUEST
    if code is ErrorCode.BAD_REQUEST and _PROMPT_TOO_LONG in detail.lower():
        code = ErrorCode.CONTEXT_EXCEEDED
    retry_after = _seconds(exc.response.headers.get("retry-after"))
    return ModelError(code, f"{exc.status_code} {detail}", retry_after_s=retry_after, request_id=request_id)


def _from_transport(exc: BaseException, *, before_response: bool) -> ModelError:
    detail = f"{type(exc).__name__}: {exc}".rstrip(": ")
    if isinstance(exc, (httpx2.ConnectTimeout, httpx2.PoolTimeout)):
        return ModelError(ErrorCode.UNREACHABLE, detail)
    if isinstance(exc, (httpx2.TimeoutException, TimeoutError, anthropic.APITimeoutError)):
        return ModelError(ErrorCode.TIMEOUT, detail)
    return ModelError(ErrorCode.UNREACHABLE if before_response else ErrorCode.CUT_OFF, detail)


def _seconds(header: str | None) -> float | None:
    """
    A `retry-after` in seconds, whether the provider wrote a number or a date; None when there is none, or no sense in
    it.
    """
    if not header:
        return None
    try:
        return max(0.0, float(header))
    except ValueError:
        pass
    try:
        return max(0.0, (parsedate_to_datetime(header) - datetime.now(UTC)).total_seconds())
    except (ValueError, TypeError):
        return None
