"""
What a browser may load and do on our pages: only what comes from this house, and nothing that stands inside a page.

It decides nothing about who may see what. A view that sets a policy of its own keeps it.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from asgiref.sync import iscoroutinefunction
from django.conf import settings
from django.http import HttpRequest, HttpResponseBase
from django.utils.decorators import sync_and_async_middleware

Handler = Callable[[HttpRequest], HttpResponseBase] | Callable[[HttpRequest], Awaitable[HttpResponseBase]]

_HEADER = "Content-Security-Policy"
_POLICY = {
    "default-src": "'none'",
    "script-src": "'self'",
    "style-src": "'self'",
    "img-src": "'self' data:",
    "font-src": "'self'",
    "connect-src": "'self'",
    "form-action": "'self'",
    "base-uri": "'none'",
    "frame-ancestors": "'none'",
}
# The API's docs are a page of drf-spectacular's, with a script and a style inside it.
_DOCS = "/api/docs/"
_DOCS_POLICY = {**_POLICY, "script-src": "'self' 'unsafe-inline'", "style-src": "'self' 'unsafe-inline'"}


def _written(policy: dict[str, str]) -> str:
    return "; ".join(f"{what} {whence}" for what, whence in policy.items())


_ORDINARY = _written(_POLICY)
_OF_DOCS = _written(_DOCS_POLICY)


@sync_and_async_middleware
def security_headers(get_response: Handler) -> Handler:
    if iscoroutinefunction(get_response):

        async def answer_later(request: HttpRequest) -> HttpResponseBase:
            return _with_policy(request, await get_response(request))

        return answer_later

    def answer(request: HttpRequest) -> HttpResponseBase:
        return _with_policy(request, get_response(request))  # type: ignore[arg-type]  # not a coroutine: asked above

    return answer


def _with_policy(request: HttpRequest, response: HttpResponseBase) -> HttpResponseBase:
    # Django's own page about an exception, shown to developers only, styles itself.
    if not (settings.DEBUG and response.status_code >= 400):
        response.headers.setdefault(_HEADER, _OF_DOCS if request.path.startswith(_DOCS) else _ORDINARY)
    return response
