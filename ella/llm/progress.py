"""
One call over all its tries: the clock, the reply of the current try, and the rule for trying again.

The rule is ours, because the SDK obeys a `retry-after` without limit: only before the first word has arrived, at most
MODEL_RETRIES times, never waiting longer than MODEL_RETRY_CAP_S, never past the call's time limit. A provider that
asks for longer is told no at once, so that the person hears something.
"""

from __future__ import annotations

import random
import time
from typing import Final

from django.conf import settings

from ella.llm.errors import ErrorCode, ModelError
from ella.llm.outcome import CallOutcome, Usage
from ella.llm.reply import Reply, WireEvent
from ella.llm.sdk_errors import from_sdk

# Gone in a moment, usually. A timeout is not among them: the person has waited long enough, and whoever retries the
# turn may ask anew.
_WORTH_ANOTHER_TRY: Final = frozenset(
    {
        ErrorCode.RATE_LIMITED,
        ErrorCode.OVERLOADED,
        ErrorCode.UNAVAILABLE,
        ErrorCode.UNREACHABLE,
        ErrorCode.STREAM_ERROR,
        ErrorCode.CUT_OFF,
    }
)
_FIRST_PAUSE_S: Final = 0.2


class CallProgress:
    def __init__(self, time_limit_s: float) -> None:
        self._began = time.monotonic()
        self._deadline = self._began + time_limit_s
        self._tries = 0
        self._spent = Usage()  # by tries that broke off after they had begun to answer
        self._estimated = False
        self._reply = Reply()
        self._request_id = ""
        self._first_text_at: float | None = None

    def begin_try(self) -> None:
        self._spent += self._reply.usage
        self._estimated |= self._reply.usage_estimated
        self._reply = Reply()
        self._tries += 1

    def heard_from(self, request_id: str | None) -> None:
        self._request_id = request_id or self._request_id

    def take(self, wire: WireEvent) -> str:
        """The text this event adds, as `Reply.take`."""
        text = self._reply.take(wire)
        if text and self._first_text_at is None:
            self._first_text_at = time.monotonic()
        return text

    @property
    def time_left_s(self) -> float:
        return max(0.0, self._deadline - time.monotonic())

    def check_time(self) -> None:
        if not self.time_left_s:
            raise TimeoutError("the call's time limit is over")

    def check_ending(self) -> None:
        self._reply.check_ending()

    @property
    def outcome(self) -> CallOutcome:
        reply, now = self._reply, time.monotonic()
        return CallOutcome(
            text=reply.text,
            blocks=reply.blocks,
            stop_reason=reply.stop_reason,
            usage=self._spent + reply.usage,
            usage_estimated=self._estimated or reply.usage_estimated,
            request_id=self._request_id,
            first_token_ms=None if self._first_text_at is None else _ms(self._first_text_at - self._began),
            duration_ms=_ms(now - self._began),
            tries=self._tries,
        )

    def failed(self, exc: Exception) -> ModelError:
        """What went wrong, with everything that had arrived attached."""
        error = from_sdk(exc)
        self.heard_from(error.request_id)
        error.outcome = self.outcome
        return error

    def pause_before_retry(self, error: ModelError) -> float | None:
        """Seconds to wait before the next try; None when this error is the end of it."""
        if (
            self._first_text_at is not None
            or error.code not in _WORTH_ANOTHER_TRY
            or self._tries > settings.MODEL_RETRIES
        ):
            return None
        cap: float = settings.MODEL_RETRY_CAP_S
        pause = error.retry_after_s
        if pause is None:
            # Spread, so that a hundred turns that failed together do not come back together.
            pause = min(cap, _FIRST_PAUSE_S * 2 ** (self._tries - 1)) * random.uniform(0.5, 1.0)
        if pause > cap or pause >= self.time_left_s:
            return None
        return pause


def _ms(seconds: float) -> int:
    return round(seconds * 1000)
