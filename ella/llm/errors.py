"""
The one way a call to a model fails: a stable code, a detail for staff, and whether asking again could help.

Everything above the gateway handles these and never an exception of the SDK (sdk_errors.py turns those into these).
"""

from __future__ import annotations

from django.db import models

from ella.llm.outcome import CallOutcome


class ErrorCode(models.TextChoices):
    """Stable: stored on calls and turns, sent to clients."""

    RATE_LIMITED = "model_rate_limited", "too many requests"
    OVERLOADED = "model_overloaded", "provider overloaded"
    UNAVAILABLE = "model_unavailable", "provider failing"
    UNREACHABLE = "model_unreachable", "no connection"
    TIMEOUT = "model_timeout", "took too long"
    REFUSED = "model_refused", "refused to answer"
    TRUNCATED = "model_truncated", "ran out of tokens before it said anything"
    CUT_OFF = "model_cut_off", "stream cut short"
    STREAM_ERROR = "model_stream_error", "error in mid-stream"
    CONTEXT_EXCEEDED = "model_context_exceeded", "prompt too long"
    BAD_REQUEST = "model_bad_request", "request not accepted"
    NOT_AUTHORISED = "model_not_authorised", "key not accepted"
    BILLING = "model_billing", "account cannot pay"
    NOT_FOUND = "model_not_found", "no such model or address"
    MALFORMED = "model_malformed", "answer not in the form asked for"
    EMPTY = "model_empty", "answer without words"
    UNEXPECTED_STOP = "model_unexpected_stop", "stopped for an unexpected reason"
    BUDGET_EXCEEDED = "budget_exceeded", "over budget"
    # Endings of the turn that asked, not of the provider.
    TURN_TIMED_OUT = "turn_timed_out", "the turn's time was up"
    TURN_FAILED = "turn_failed", "a fault of ours"
    APPLY_FAILED = "apply_failed", "what was answered could not be applied"


# Asking the same again can help, in a moment or in an hour.
_PASSING = frozenset(
    {
        ErrorCode.RATE_LIMITED,
        ErrorCode.OVERLOADED,
        ErrorCode.UNAVAILABLE,
        ErrorCode.UNREACHABLE,
        ErrorCode.TIMEOUT,
        ErrorCode.TRUNCATED,
        ErrorCode.CUT_OFF,
        ErrorCode.STREAM_ERROR,
        ErrorCode.MALFORMED,
        ErrorCode.EMPTY,
        ErrorCode.UNEXPECTED_STOP,
        ErrorCode.APPLY_FAILED,
    }
)


class ModelError(Exception):
    """
    A call that failed. `code` is an ErrorCode, or the caller's own word when a call was ended from outside (a turn
    whose time was over). `permanent`: the same request would fail again however often it is sent. `retry_after_s`:
    seconds the provider asked us to wait. `outcome` holds what had arrived by then; its text is not a reply.
    """

    def __init__(
        self,
        code: str,
        detail: str = "",
        *,
        permanent: bool | None = None,
        retry_after_s: float | None = None,
        request_id: str = "",
        outcome: CallOutcome | None = None,
    ) -> None:
        super().__init__(f"{code}: {detail}" if detail else f"{code}")
        self.code = code
        self.detail = detail
        self.permanent = code not in _PASSING if permanent is None else permanent
        self.retry_after_s = retry_after_s
        self.request_id = request_id
        self.outcome = outcome


class LayoutNotAccepted(ModelError):
    """
    The model takes no `system` message inside the conversation: remember it (limits.py) and ask again in the
    `system_tail` layout.
    """

    def __init__(self, detail: str, *, request_id: str = "") -> None:
        super().__init__(ErrorCode.BAD_REQUEST, detail, request_id=request_id)


class BudgetExceeded(ModelError):
    """Nothing was asked and nothing was written: `subject` has no money left on this UTC day."""

    def __init__(self, subject: str) -> None:
        super().__init__(ErrorCode.BUDGET_EXCEEDED, f"the day's budget of {subject} is used up")
        self.subject = subject
