"""
One shape for everything the API refuses: `{"type", "errors": [{"code", "detail", "attr"}]}`, with codes that stay.

A failure the house knows is a `DomainError`; what Django, DRF or a service throw is translated here and nowhere else.
Nothing in an answer may come from an exception nobody expected: that one says 500 and goes to the log.
"""

from __future__ import annotations

import math
from typing import Any, cast

from django.core.exceptions import BadRequest, RequestDataTooBig, SuspiciousOperation
from django.core.exceptions import ValidationError as DjangoValidationError
from django.http import JsonResponse, UnreadablePostError
from drf_standardized_errors.formatter import ExceptionFormatter
from drf_standardized_errors.handler import ExceptionHandler
from drf_standardized_errors.types import ErrorResponse, ExceptionHandlerContext
from rest_framework import exceptions
from rest_framework.response import Response
from rest_framework.serializers import as_serializer_error
from rest_framework.views import APIView

from ella.errors import BodyTooLarge, DomainError

# A throttle that cannot say how long (its history grew under it) still owes the client a number.
_SHORTEST_PAUSE_S = 1


class ApiFormatter(ExceptionFormatter):
    """The standard shape, and beside it the turn that failed, where there is one."""

    def format_error_response(self, error_response: ErrorResponse) -> dict[str, Any]:
        data: dict[str, Any] = super().format_error_response(error_response)
        turn = getattr(self.exc, "turn", None)
        return data if turn is None else {**data, "turn": turn}


class ApiExceptionHandler(ExceptionHandler):
    def convert_known_exceptions(self, exc: Exception) -> Exception:
        """Django's own refusals, and a service's ValidationError, as what they are to a client."""
        if isinstance(exc, DjangoValidationError):
            return exceptions.ValidationError(as_serializer_error(exc))
        if isinstance(exc, RequestDataTooBig):
            return BodyTooLarge()
        if isinstance(exc, SuspiciousOperation | BadRequest | UnreadablePostError):
            return exceptions.ParseError()
        return super().convert_known_exceptions(exc)

    def get_headers(self, exc: exceptions.APIException) -> dict[str, str]:
        headers: dict[str, str] = super().get_headers(exc)
        wait = getattr(exc, "wait", None)
        if wait is not None or isinstance(exc, exceptions.Throttled):
            headers["Retry-After"] = str(max(math.ceil(wait or 0), _SHORTEST_PAUSE_S))
        if isinstance(exc, DomainError):
            headers.update(exc.headers)
        return headers

    def report_exception(self, exc: exceptions.APIException, response: Response) -> None:
        """A known failure with a 5xx status (no model to be reached) is no bug: whoever raised it has logged it."""
        if not isinstance(exc, DomainError):
            super().report_exception(exc, response)


class OutsideHandler(ApiExceptionHandler):
    """For code that runs outside DRF's views, where whoever caught the exception has logged it."""

    def report_exception(self, exc: exceptions.APIException, response: Response) -> None:
        return


def json_error(exc: Exception) -> JsonResponse:
    """The same answer for asynchronous views and for Django's error handlers. It logs nothing."""
    # No view and no request: the handler looks at neither.
    context = ExceptionHandlerContext(view=cast(APIView, None), request=None, args=(), kwargs={})
    answer = OutsideHandler(exc, context).run()
    if answer is None:
        raise exc
    headers = {name: value for name, value in answer.headers.items() if name != "Content-Type"}
    return JsonResponse(answer.data, status=answer.status_code, headers=headers)
