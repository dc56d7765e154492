"""Who is asking. For views that only people who are logged in can reach; it grants nothing by itself."""

from __future__ import annotations

from django.http import HttpRequest
from rest_framework.exceptions import NotAuthenticated
from rest_framework.request import Request

from ella.people.models import Person


def person_of(request: Request | HttpRequest) -> Person:
    """Raises NotAuthenticated (401) where a view forgot to ask for a login, rather than acting for nobody."""
    if not isinstance(request.user, Person):
        raise NotAuthenticated
    return request.user
