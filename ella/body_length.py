"""
A request body whose length is not told beforehand. DRF takes it for no body at all and would answer that every field is
missing; the API says what is really wrong.
"""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.utils.deprecation import MiddlewareMixin
from rest_framework import status

from ella.error_answers import json_error
from ella.errors import DomainError


class LengthRequired(DomainError):
    status_code = status.HTTP_411_LENGTH_REQUIRED
    default_code = "length_required"
    default_detail = "Send the body with a Content-Length, not in chunks."


class BodyLengthMiddleware(MiddlewareMixin):
    def process_request(self, request: HttpRequest) -> HttpResponse | None:
        chunked = "Transfer-Encoding" in request.headers and not request.META.get("CONTENT_LENGTH")
        return json_error(LengthRequired()) if chunked and request.path.startswith("/api/") else None
