"""
Registering, logging in and out, and one's own profile over HTTP.

Views validate, call a service and answer. Nobody is ever told whether a user name exists, except by trying to register
it where that is open.
"""

from __future__ import annotations

from typing import Any, cast

from django.conf import settings
from django.contrib.auth import authenticate
from drf_spectacular.utils import extend_schema
from rest_framework import serializers, status
from rest_framework.authentication import BaseAuthentication
from rest_framework.permissions import AllowAny
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.throttling import AnonRateThrottle
from rest_framework.views import APIView

from ella.api_fields import RefusesUnknownFields
from ella.api_schema import failures
from ella.errors import DomainError
from ella.people import services
from ella.people.models import DeviceToken, Person
from ella.people.registration import register
from ella.people.requests import person_of
from ella.people.services import PROFILE_FIELDS, Login
from ella.people.tokens import DeviceTokenAuthentication
from ella.throttling import LoginThrottle, RegisterThrottle

PASSWORD_MAX_CHARS = 128


class RegistrationClosed(DomainError):
    status_code = status.HTTP_403_FORBIDDEN
    default_code = "registration_closed"
    default_detail = "New people cannot register here."


class InvalidCredentials(DomainError):
    status_code = status.HTTP_401_UNAUTHORIZED
    default_code = "invalid_credentials"
    default_detail = "This user name and password do not belong together, or may not log in."

    def __init__(self) -> None:
        super().__init__(headers={"WWW-Authenticate": "Token"})


class MeSerializer(RefusesUnknownFields, serializers.ModelSerializer[Person]):
    class Meta:
        model = Person
        fields = ("id", "username", *PROFILE_FIELDS, "created_at")
        read_only_fields = ("id", "username", "created_at")


class RegisterSerializer(RefusesUnknownFields, serializers.ModelSerializer[Person]):
    # Whether the name is taken is the service's to say: it knows every letter case, and the race.
    username = serializers.CharField(max_length=80)
    password = serializers.CharField(max_length=PASSWORD_MAX_CHARS, trim_whitespace=False, write_only=True)
    device = serializers.CharField(max_length=80, default="", allow_blank=True, help_text="What to call this device.")

    class Meta:
        model = Person
        fields = ("username", "password", "device", *PROFILE_FIELDS)


class LoginSerializer(RefusesUnknownFields):
    username = serializers.CharField(max_length=80)
    password = serializers.CharField(max_length=PASSWORD_MAX_CHARS, trim_whitespace=False, write_only=True)
    device = serializers.CharField(max_length=80, default="", allow_blank=True, help_text="What to call this device.")


class LoggedInSerializer(serializers.Serializer[Login]):
    token = serializers.CharField(help_text="Send it as `Authorization: Token …`. It is told this once.")
    expiry = serializers.DateTimeField(source="expires_at")
    person = MeSerializer()


class RegisterView(APIView):
    permission_classes = [AllowAny]
    authentication_classes: list[type[BaseAuthentication]] = []
    throttle_classes = [RegisterThrottle]

    @extend_schema(
        operation_id="auth_register",
        request=RegisterSerializer,
        responses={201: LoggedInSerializer, **failures(RegistrationClosed)},
    )
    def post(self, request: Request) -> Response:
        """Make an account and log this device in."""
        if not settings.OPEN_REGISTRATION:
            raise RegistrationClosed
        sent = _validated(RegisterSerializer(data=request.data))
        device = sent.pop("device")
        person = register(actor=sent["username"], **sent)
        login = services.log_in(actor=person.username, person=person, device=device)
        return Response(LoggedInSerializer(login).data, status=status.HTTP_201_CREATED)


class LoginView(APIView):
    permission_classes = [AllowAny]
    # An old token in the header must not stand in the way of getting a new one.
    authentication_classes: list[type[BaseAuthentication]] = []
    throttle_classes = [LoginThrottle, AnonRateThrottle]

    @extend_schema(
        operation_id="auth_login",
        request=LoginSerializer,
        responses={200: LoggedInSerializer, **failures(InvalidCredentials)},
    )
    def post(self, request: Request) -> Response:
        """A token for this device. The user name may be written in any letter case."""
        sent = _validated(LoginSerializer(data=request.data))
        person = authenticate(request, username=sent["username"], password=sent["password"])
        if not isinstance(person, Person):
            raise InvalidCredentials
        login = services.log_in(actor=person.username, person=person, device=sent["device"])
        return Response(LoggedInSerializer(login).data)


class LogoutView(APIView):
    authentication_classes = [DeviceTokenAuthentication]

    @extend_schema(operation_id="auth_logout", request=None, responses={204: None})
    def post(self, request: Request) -> Response:
        """This device's token stops working."""
        services.log_out(actor=person_of(request).username, token=cast(DeviceToken, request.auth))
        return Response(status=status.HTTP_204_NO_CONTENT)


class LogoutAllView(APIView):
    @extend_schema(operation_id="auth_logoutall", request=None, responses={204: None})
    def post(self, request: Request) -> Response:
        """Every token and every login at the pages stops working, this one too."""
        person = person_of(request)
        services.log_out_everywhere(actor=person.username, person=person)
        return Response(status=status.HTTP_204_NO_CONTENT)


class MeView(APIView):
    @extend_schema(operation_id="me_read", responses=MeSerializer)
    def get(self, request: Request) -> Response:
        """Who is logged in."""
        return Response(MeSerializer(person_of(request)).data)

    @extend_schema(operation_id="me_change", request=MeSerializer, responses=MeSerializer)
    def patch(self, request: Request) -> Response:
        """Change what is sent; the rest stays."""
        person = person_of(request)
        changes = _validated(MeSerializer(person, data=request.data, partial=True))
        changed = services.change_profile(actor=person.username, person=person, changes=changes)
        return Response(MeSerializer(changed).data)

    @extend_schema(operation_id="me_erase", responses={204: None})
    def delete(self, request: Request) -> Response:
        """Erase this person and everything held about them. It cannot be undone."""
        person = person_of(request)
        services.erase(actor=person.username, person=person)
        return Response(status=status.HTTP_204_NO_CONTENT)


def _validated(serializer: serializers.BaseSerializer[Any]) -> dict[str, Any]:
    serializer.is_valid(raise_exception=True)
    return cast(dict[str, Any], serializer.validated_data)
