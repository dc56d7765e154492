"""
How often somebody may try a password or make an account: the same count for the API and for the pages.

It slows guessing down; it never locks an account, or anybody could lock out anybody.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import cast

from django.http import HttpRequest
from rest_framework.request import Request
from rest_framework.throttling import SimpleRateThrottle
from rest_framework.views import APIView

from ella.people.models import username_key


class LoginThrottle(SimpleRateThrottle):
    """Per address and user name. `AnonRateThrottle` beside it counts the address alone, whatever names it tries."""

    scope = "login"

    def get_cache_key(self, request: Request | HttpRequest, view: APIView | None) -> str:
        sent = request.data if isinstance(request, Request) else request.POST
        username = sent.get("username") if isinstance(sent, Mapping) else None
        # Hashed, because a cache key may hold neither every character nor every length a client can send.
        key = hashlib.sha256(username_key(str(username)).encode()).hexdigest()[:32]
        # Typed for DRF's request; it reads META only, which both have.
        address = self.get_ident(cast(Request, request))
        return self.cache_format % {"scope": self.scope, "ident": f"{address}_{key}"}


class RegisterThrottle(SimpleRateThrottle):
    """Per address, whoever is logged in there: a page that has just made an account is logged in as it."""

    scope = "register"

    def get_cache_key(self, request: Request | HttpRequest, view: APIView | None) -> str:
        return self.cache_format % {"scope": self.scope, "ident": self.get_ident(cast(Request, request))}
