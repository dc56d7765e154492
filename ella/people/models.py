"""
Who Ella talks with: one `Person`, who is also the login.

Lower floors point at `settings.AUTH_USER_MODEL` and read `timezone`, `country`, `language` and `birth_date` from it;
what belongs to one floor (quiet hours, digest hour) is that floor's own table, never a column here.
"""

from __future__ import annotations

import unicodedata
import uuid
import zoneinfo
from collections.abc import Iterator
from datetime import date, datetime
from typing import TYPE_CHECKING, ClassVar, Self

from django.conf import settings
from django.contrib.auth.models import AbstractBaseUser, BaseUserManager, PermissionsMixin
from django.core.exceptions import ValidationError
from django.core.validators import RegexValidator
from django.db import models
from django.utils.crypto import salted_hmac
from django.utils.timezone import now
from knox.models import AbstractAuthToken

_TIMEZONES = frozenset(zoneinfo.available_timezones())


def username_key(username: str) -> str:
    """The one form of a user name: `Ana`, `ana` and `ＡＮＡ` are one person to everybody who types a name."""
    return unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", username).casefold())


def validate_username(value: str) -> None:
    """
    Letters, marks and digits of every script, and `@ . + - _`.

    Django's own validator leaves out combining marks, and with them most names written in Hindi, Thai or Tamil.
    """
    if unicodedata.category(value[:1] or " ")[0] == "M" or not all(
        character in "@.+-_" or unicodedata.category(character)[0] in "LMN" for character in value
    ):
        raise ValidationError("A user name is made of letters, digits and @ . + - _ only.", code="invalid")


def validate_timezone(value: str) -> None:
    """IANA names only (`Europe/Lisbon`): an offset would be wrong half of the year."""
    if value not in _TIMEZONES:
        raise ValidationError(
            "“%(value)s” is not an IANA time zone such as Europe/Lisbon.",
            code="unknown_timezone",
            params={"value": value},
        )


def validate_birth_date(value: date) -> None:
    if value > now().date():
        raise ValidationError("A birth date cannot lie in the future.", code="birth_date_in_future")
    if value.year < 1900:
        raise ValidationError("A birth date before 1900 cannot be right.", code="birth_date_too_old")


if TYPE_CHECKING:
    _TextField = models.CharField[str, str]
else:
    _TextField = models.CharField


class UsernameKeyField(_TextField):
    """
    `username_key` of the same row, written by every save and bulk_create.

    Folding is done here and not by the database's LOWER(): SQLite's knows ASCII only, so "Ärger" and "ärger" would be
    two people there and one in PostgreSQL.
    """

    def pre_save(self, model_instance: models.Model, add: bool) -> str:
        key = username_key(getattr(model_instance, "username"))  # noqa: B009 (the field does not know its model's type)
        setattr(model_instance, self.attname, key)
        return key


class PersonManager(BaseUserManager["Person"]):
    """What Django's own commands (`createsuperuser`, authentication) ask a user model for."""

    def create_user(self, username: str, password: str | None = None, **fields: object) -> Person:
        person = self.model(username=self.model.normalize_username(username), **fields)
        person.set_password(password)
        person.save(using=self._db)
        return person

    def create_superuser(self, username: str, password: str | None = None, **fields: object) -> Person:
        return self.create_user(username, password, is_staff=True, is_superuser=True, **fields)

    def get_by_natural_key(self, username: str | None) -> Person:
        return self.get(username_key=username_key(username or ""))


class Person(AbstractBaseUser, PermissionsMixin):
    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    username = models.CharField(
        "user name",
        max_length=80,
        unique=True,
        validators=[validate_username],
        error_messages={"unique": "Somebody has this user name already."},
    )
    username_key = UsernameKeyField(max_length=240, unique=True, editable=False)
    display_name = models.CharField("called", max_length=80, blank=True, help_text="What Ella calls this person.")
    timezone = models.CharField("time zone", max_length=64, default="UTC", validators=[validate_timezone])
    country = models.CharField(
        max_length=2, blank=True, validators=[RegexValidator(r"^[A-Z]{2}\Z", "Two capital letters, as in PT.")]
    )
    language = models.CharField(
        max_length=12,
        default="en",
        validators=[RegexValidator(r"^[a-z]{2,3}(-[A-Za-z0-9]{2,8})?\Z", "A language tag, as in en or pt-BR.")],
    )
    birth_date = models.DateField(null=True, blank=True, validators=[validate_birth_date])
    is_active = models.BooleanField("may log in", default=True)
    is_staff = models.BooleanField("works in the back-office", default=False)
    logins_ended = models.PositiveIntegerField(
        default=0,
        editable=False,
        help_text="Part of what a web login is signed with: counting it up ends every one of them.",
    )
    created_at = models.DateTimeField(default=now, editable=False)

    objects: ClassVar[PersonManager] = PersonManager()

    USERNAME_FIELD = "username"
    REQUIRED_FIELDS: ClassVar[list[str]] = []

    class Meta:
        verbose_name_plural = "people"
        ordering = ["-created_at"]
        # The admin's list, newest first.
        indexes = [models.Index(fields=["-created_at"], name="person_newest")]

    def __str__(self) -> str:
        return self.username

    @property
    def called(self) -> str:
        """The name Ella uses."""
        return self.display_name or self.username

    def local_time(self, moment: datetime) -> datetime:
        """`moment` (aware) on this person's own clock. Domain code computes with days only after this conversion."""
        return moment.astimezone(zoneinfo.ZoneInfo(self.timezone))

    def get_session_auth_hash(self) -> str:
        return self._login_signature(None)

    def get_session_auth_fallback_hash(self) -> Iterator[str]:
        for secret in settings.SECRET_KEY_FALLBACKS:
            yield self._login_signature(secret)

    def _login_signature(self, secret: str | bytes | None) -> str:
        signed = f"{self.password}:{self.logins_ended}"
        return salted_hmac("ella.people.login", signed, secret=secret, algorithm="sha256").hexdigest()


class DeviceTokenQuerySet(models.QuerySet["DeviceToken"]):
    def of(self, person: Person) -> Self:
        return self.filter(user=person)

    def with_digest(self, digest: str) -> Self:
        """At most one, and its person in the same query."""
        return self.filter(digest=digest).select_related("user")

    def expired(self, at: datetime) -> Self:
        return self.filter(expiry__lte=at)


class DeviceToken(AbstractAuthToken):
    """One device that is logged in. The database holds a digest only; the token itself is told once, to the device."""

    device = models.CharField(
        max_length=80, blank=True, help_text="What the client called itself, as in “Ana's phone”."
    )

    # `objects` is knox's own: its create() makes the token and hands it over with the row. This one reads.
    logins = DeviceTokenQuerySet.as_manager()

    class Meta:
        ordering = ["-created"]


class PersonEvent(models.Model):
    """What happened to an account: who did it, when, old → new. Written in the transaction of the change it tells."""

    class Kind(models.TextChoices):
        REGISTERED = "registered"
        PROFILE_CHANGED = "profile_changed"
        PASSWORD_CHANGED = "password_changed"  # noqa: S105 (the name of an event)
        LOGGED_IN = "logged_in"
        LOGGED_OUT = "logged_out"
        LOGGED_OUT_EVERYWHERE = "logged_out_everywhere"
        ACCESS_CHANGED = "access_changed"
        LOOKED_AT = "looked_at", "something of theirs looked at by staff"

    person = models.ForeignKey(Person, on_delete=models.CASCADE, related_name="events")
    actor = models.CharField(max_length=80, help_text="A user name, or the name of the job or command.")
    kind = models.CharField(max_length=24, choices=Kind.choices)
    detail = models.JSONField(default=dict, blank=True)
    at = models.DateTimeField(default=now, editable=False)

    class Meta:
        ordering = ["-at", "-id"]
        # A person's history on their admin page.
        indexes = [models.Index(fields=["person", "-at"], name="person_event_history")]

    def __str__(self) -> str:
        return f"{self.get_kind_display()} · {self.at:%Y-%m-%d %H:%M}"
