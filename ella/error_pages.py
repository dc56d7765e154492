"""
What Django shows when no view answered: the API's one error shape under /api/, a plain page everywhere else.

These run when something is already wrong, so they touch no database and no login.
"""

from __future__ import annotations

from http import HTTPStatus

from django.core.exceptions import BadRequest, PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse
from django.template import loader
from django.views.decorators.csrf import requires_csrf_token

from ella.error_answers import json_error


class ServerFault(Exception):
    """Stands for an exception that Django has logged already; its own words are nobody's business outside."""


def bad_request(request: HttpRequest, exception: Exception) -> HttpResponse:
    return _answer(request, BadRequest(), HTTPStatus.BAD_REQUEST)


def permission_denied(request: HttpRequest, exception: Exception) -> HttpResponse:
    return _answer(request, PermissionDenied(), HTTPStatus.FORBIDDEN)


def csrf_failure(request: HttpRequest, reason: str = "") -> HttpResponse:
    return _answer(request, PermissionDenied(), HTTPStatus.FORBIDDEN)


def not_found(request: HttpRequest, exception: Exception) -> HttpResponse:
    return _answer(request, Http404(), HTTPStatus.NOT_FOUND)


@requires_csrf_token
def server_error(request: HttpRequest) -> HttpResponse:
    return _answer(request, ServerFault(), HTTPStatus.INTERNAL_SERVER_ERROR)


def _answer(request: HttpRequest, exc: Exception, status: HTTPStatus) -> HttpResponse:
    if request.path.startswith("/api/"):
        return json_error(exc)
    # Without the request: context processors would ask the database who is logged in.
    return HttpResponse(loader.render_to_string(f"{status.value}.html"), status=status)
