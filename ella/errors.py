"""
The failures the house knows, as the API tells them: a status, a code that stays, a sentence for a person.

How they are written into an answer is error_answers.py's; nothing here knows of a view.
"""

from __future__ import annotations

from collections.abc import Mapping
from uuid import UUID

from rest_framework import exceptions, status


class DomainError(exceptions.APIException):
    """
    Something the house refuses or could not do, told to the client as it is. Subclasses set `status_code`,
    `default_code` (part of the contract: never renamed) and `default_detail` (a sentence for a person).

    `turn` stands beside the errors when a turn was opened before it failed: the same `client_id` goes on with it.
    `retry_after_s` becomes `Retry-After`, rounded up to whole seconds.
    """

    status_code: int = status.HTTP_409_CONFLICT
    default_code = "conflict"
    default_detail = "This cannot be done now."

    def __init__(
        self,
        detail: str | None = None,
        *,
        code: str | None = None,
        turn: UUID | str | None = None,
        retry_after_s: float | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> None:
        super().__init__(detail, code)
        self.turn = None if turn is None else str(turn)
        self.wait = retry_after_s
        self.headers = dict(headers or {})


class BodyTooLarge(DomainError):
    status_code = status.HTTP_413_REQUEST_ENTITY_TOO_LARGE
    default_code = "body_too_large"
    default_detail = "The request body is too large."
