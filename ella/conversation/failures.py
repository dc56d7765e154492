"""How a turn that was not answered, or could not be opened, looks over HTTP."""

from __future__ import annotations

from typing import Any

from rest_framework import status

from ella.errors import DomainError
from ella.llm.errors import ErrorCode

_TIMED_OUT = {ErrorCode.TIMEOUT.value, "turn_timed_out"}
# A second try soon is of use; the others need another wording or an operator.
_SOON = {
    ErrorCode.RATE_LIMITED.value,
    ErrorCode.OVERLOADED.value,
    ErrorCode.UNAVAILABLE.value,
    ErrorCode.UNREACHABLE.value,
    "conversation_busy",
    "turn_interrupted",
}
_SOON_S = 5


class ClientIdConflict(DomainError):
    status_code = status.HTTP_409_CONFLICT
    default_code = "client_id_reused"
    default_detail = "This client_id already stands for another text."


class TurnNotAnswered(DomainError):
    """
    The message is kept and the same `client_id` continues its turn. The code is the model's or the turn's
    (`texts.yaml` names them all).
    """

    status_code: int = status.HTTP_503_SERVICE_UNAVAILABLE
    default_code = "turn_failed"
    default_detail = (
        "The message is kept, but was not answered. The code says why; the same client_id continues its turn."
    )

    def __init__(self, told: dict[str, Any]) -> None:
        """`told` is `results.result_as_data` of a turn that is not done."""
        error = told["errors"][0]
        super().__init__(
            error["detail"],
            code=error["code"],
            turn=told["turn"],
            retry_after_s=_SOON_S if error["code"] in _SOON else None,
        )
        if error["code"] in _TIMED_OUT:
            self.status_code = status.HTTP_504_GATEWAY_TIMEOUT
