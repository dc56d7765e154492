"""
Which person a request's token belongs to: one look-up by digest, and no write.

A token is told once and kept as a digest; one that is unknown, expired or of somebody who may not log in is refused
alike.
"""

from __future__ import annotations

from django.utils import timezone
from knox.auth import TokenAuthentication
from knox.crypto import hash_token
from rest_framework.exceptions import AuthenticationFailed

from ella.people.models import DeviceToken, Person


class DeviceTokenAuthentication(TokenAuthentication):
    """`Authorization: Token <token>`, as knox reads it; the look-up is ours, as knox's takes three queries or more."""

    def authenticate_credentials(self, token: bytes) -> tuple[Person, DeviceToken]:
        try:
            digest = hash_token(token.decode("ascii"))
        except UnicodeDecodeError:
            raise self._refused() from None
        row = DeviceToken.logins.with_digest(digest).first()
        if row is None or (row.expiry is not None and row.expiry <= timezone.now()) or not row.user.is_active:
            raise self._refused()
        return row.user, row

    def _refused(self) -> AuthenticationFailed:
        return AuthenticationFailed("This token does not work, or does not work any more.")
