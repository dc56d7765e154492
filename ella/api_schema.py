"""
How the API describes itself: every operation with every refusal it can answer, all of one shape, and how to log in.

The description is read by clients and held against the server by a fuzzer (tests/api): what is not described here must
not be answered.
"""

from __future__ import annotations

from collections import defaultdict
from typing import Any

from django.db.models import TextChoices
from drf_spectacular.extensions import OpenApiAuthenticationExtension, OpenApiSerializerExtension
from drf_spectacular.openapi import AutoSchema as SpectacularSchema
from drf_spectacular.plumbing import build_bearer_security_scheme_object
from drf_spectacular.utils import Direction, OpenApiResponse
from drf_standardized_errors.openapi import AutoSchema
from rest_framework import serializers
from rest_framework.authentication import SessionAuthentication

from ella.errors import BodyTooLarge, DomainError

_WRITES = ("POST", "PUT", "PATCH")
_DESCRIPTIONS = {
    "400": (
        "`validation_error`: each of `errors` names its field in `attr`. "
        "`client_error`: the body could not be read (`parse_error`)."
    ),
    "401": "Not logged in: `not_authenticated`, or a token that does not work (any more): `authentication_failed`.",
    "403": "`permission_denied`.",
    "404": "`not_found`: there is no such thing, or it is somebody else's.",
    "405": "`method_not_allowed`.",
    "406": "`not_acceptable`.",
    "413": f"`{BodyTooLarge.default_code}`.",
    "415": "`unsupported_media_type`.",
    "429": "`throttled`: too many requests. `Retry-After` says for how many seconds.",
    "500": "`error`: a fault of the server.",
}


class ErrorType(TextChoices):
    VALIDATION_ERROR = "validation_error", "a field is wrong"
    CLIENT_ERROR = "client_error", "the request cannot be answered"
    SERVER_ERROR = "server_error", "the house could not do it now"


class ErrorSerializer(serializers.Serializer[Any]):
    code = serializers.CharField(help_text="Stable. Decide by this one.")
    detail = serializers.CharField(help_text="For a person to read; its words may change.")
    attr = serializers.CharField(allow_null=True, help_text="The field, with dots where it is nested.")


class ErrorResponseSerializer(serializers.Serializer[Any]):
    type = serializers.ChoiceField(choices=ErrorType.choices)
    errors = ErrorSerializer(many=True)  # type: ignore[assignment] # the answer calls it so
    turn = serializers.UUIDField(required=False, help_text="The turn that failed; the same client_id goes on with it.")


def failures(*known: type[DomainError]) -> dict[int, OpenApiResponse]:
    """The answers of `known`, by status, for `extend_schema(responses={…, **failures(A, B)})`."""
    by_status: dict[int, list[str]] = defaultdict(list)
    for failure in known:
        by_status[failure.status_code].append(f"`{failure.default_code}`: {failure.default_detail}")
    return {
        status: OpenApiResponse(ErrorResponseSerializer, description="\n\n".join(told))
        for status, told in by_status.items()
    }


class ApiSchema(AutoSchema):
    def _get_error_response_serializer(self, status_code: str) -> type[serializers.Serializer[Any]]:
        return ErrorResponseSerializer

    def _get_response_bodies(self, direction: Direction = "response") -> dict[str, Any]:
        responses: dict[str, Any] = super()._get_response_bodies(direction)
        for status_code in responses.keys() & _DESCRIPTIONS.keys():
            # Beside the failures an operation names, those that any operation of its kind can answer.
            if self._should_add_error_response({}, status_code):
                told = responses[status_code]["description"]
                responses[status_code]["description"] = f"{told}\n\n{_DESCRIPTIONS[status_code]}".strip()
        return responses

    def _should_add_error_response(self, responses: dict[str, Any], status_code: str) -> bool:
        if status_code == "413" and self.method not in _WRITES:
            return False
        return bool(super()._should_add_error_response(responses, status_code))

    def _should_add_http403_error_response(self) -> bool:
        """A page's login without its CSRF token is refused with 403, whatever the permissions."""
        by_page = any(isinstance(one, SessionAuthentication) for one in self.view.get_authenticators())
        return (by_page and self.method != "GET") or bool(super()._should_add_http403_error_response())


class ClosedObject(OpenApiSerializerExtension):  # type: ignore[no-untyped-call] # its metaclass hook
    """What refuses unknown fields says so."""

    target_class = "ella.api_fields.RefusesUnknownFields"
    match_subclasses = True

    def map_serializer(self, auto_schema: SpectacularSchema, direction: Direction) -> dict[str, Any]:
        schema: dict[str, Any] = auto_schema._map_serializer(self.target, direction, bypass_extensions=True)  # type: ignore[no-untyped-call]
        return {**schema, "additionalProperties": False}


class DeviceTokenScheme(OpenApiAuthenticationExtension):  # type: ignore[no-untyped-call] # its metaclass hook
    target_class = "ella.people.tokens.DeviceTokenAuthentication"
    name = "deviceToken"

    def get_security_definition(self, auto_schema: SpectacularSchema) -> dict[str, Any]:
        return build_bearer_security_scheme_object("Authorization", self.target.authenticate_header(""))
