"""
Every write to an account but the first (registration.py): profile, logins, access, and its end.

Each function is one thing that can happen; it writes its `PersonEvent` in the same transaction. Nothing here knows of
conversations or of HTTP, and no password or token is ever written into an event.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date, datetime

from django.contrib.auth.hashers import make_password
from django.contrib.auth.models import Group
from django.core.exceptions import FieldDoesNotExist
from django.db import transaction
from django.db.models import F
from django.utils import timezone

from ella.people.models import DeviceToken, Person, PersonEvent

PROFILE_FIELDS = ("display_name", "timezone", "country", "language", "birth_date")


class OwnAccess(Exception):
    """Nobody changes what they themselves may do: it takes a second person."""


@dataclass(frozen=True, slots=True)
class Login:
    """A device that has just logged in. `token` is in no table and cannot be told a second time."""

    person: Person
    token: str
    expires_at: datetime


@transaction.atomic
def change_profile(*, actor: str, person: Person, changes: Mapping[str, str | date | None]) -> Person:
    """
    Set some of PROFILE_FIELDS and keep old and new of those that differ. Returns the person as now stored.

    Raises ValidationError (naming the field) and changes nothing then.
    """
    unknown = changes.keys() - set(PROFILE_FIELDS)
    if unknown:
        raise FieldDoesNotExist(", ".join(sorted(unknown)))
    stored = Person.objects.select_for_update().get(pk=person.pk)
    before = {name: getattr(stored, name) for name in changes}
    differing = [name for name, value in changes.items() if before[name] != value]
    if not differing:
        return stored
    for name in differing:
        setattr(stored, name, changes[name])
    stored.clean_fields(exclude={field.name for field in Person._meta.fields} - set(differing))
    stored.save(update_fields=differing)
    detail = {name: {"old": _plain(before[name]), "new": _plain(changes[name])} for name in differing}
    PersonEvent.objects.create(person=stored, actor=actor, kind=PersonEvent.Kind.PROFILE_CHANGED, detail=detail)
    return stored


def change_password(*, actor: str, person: Person, password: str) -> None:
    """
    A new password, judged before by whoever asked for it. Every device and page is logged out by it.

    `person` itself carries the new password afterwards, so that the one page that asked can stay logged in.
    """
    hashed = make_password(password)  # before the transaction: it takes most of a second
    with transaction.atomic():
        person.password = hashed
        person.save(update_fields=["password"])
        devices, _ = DeviceToken.logins.of(person).delete()
        PersonEvent.objects.create(
            person=person, actor=actor, kind=PersonEvent.Kind.PASSWORD_CHANGED, detail={"devices": devices}
        )


@transaction.atomic
def log_in(*, actor: str, person: Person, device: str = "") -> Login:
    """A token for one device. What this person's devices left behind expired is swept away in passing."""
    at = timezone.now()
    DeviceToken.logins.of(person).expired(at).delete()
    row, token = DeviceToken.objects.create(user=person, device=device)  # type: ignore[no-untyped-call] # knox has no types
    Person.objects.filter(pk=person.pk).update(last_login=at)
    person.last_login = at
    _login_event(PersonEvent.Kind.LOGGED_IN, actor=actor, row=row)
    return Login(person=person, token=token, expires_at=row.expiry)


@transaction.atomic
def log_in_page(*, actor: str, person: Person) -> None:
    """The audit row of a login at the pages; the login itself is Django's session."""
    PersonEvent.objects.create(person=person, actor=actor, kind=PersonEvent.Kind.LOGGED_IN, detail={"door": "page"})


@transaction.atomic
def log_out(*, actor: str, token: DeviceToken) -> None:
    """This device's token stops working now. A second time changes nothing."""
    deleted, _ = DeviceToken.objects.filter(pk=token.pk).delete()
    if deleted:
        _login_event(PersonEvent.Kind.LOGGED_OUT, actor=actor, row=token)


@transaction.atomic
def log_out_page(*, actor: str, person: Person) -> None:
    PersonEvent.objects.create(person=person, actor=actor, kind=PersonEvent.Kind.LOGGED_OUT, detail={"door": "page"})


@transaction.atomic
def log_out_everywhere(*, actor: str, person: Person) -> int:
    """Every token and every login at the pages stops working now. Returns how many tokens there were."""
    ended = _end_logins(person)
    PersonEvent.objects.create(
        person=person, actor=actor, kind=PersonEvent.Kind.LOGGED_OUT_EVERYWHERE, detail={"devices": ended}
    )
    return ended


@transaction.atomic
def change_access(*, actor: Person, person: Person, is_active: bool, is_staff: bool, groups: Iterable[Group]) -> Person:
    """
    Who may log in, work in the back-office, and as what. Whoever may not log in any more is logged out everywhere.

    Raises OwnAccess when actor and person are one, PermissionError when anybody but a superuser touches a superuser.
    """
    stored = Person.objects.select_for_update().get(pk=person.pk)
    if stored.pk == actor.pk:
        raise OwnAccess
    if stored.is_superuser and not actor.is_superuser:
        raise PermissionError("Only a superuser changes what a superuser may do.")
    _set_access(stored, actor=actor.username, is_active=is_active, is_staff=is_staff, groups=list(groups))
    return stored


@transaction.atomic
def appoint(*, actor: str, person: Person, groups: Iterable[Group]) -> Person:
    """Let this person work in the back-office, as these groups. For commands: whoever runs them owns the machine."""
    stored = Person.objects.select_for_update().get(pk=person.pk)
    _set_access(stored, actor=actor, is_active=stored.is_active, is_staff=True, groups=list(groups))
    return stored


def look_at(*, actor: str, person: Person, what: str, row_id: str) -> None:
    """A member of staff opened a row of this person: `what` is its table (`llm.modelcall`), `row_id` its key."""
    PersonEvent.objects.create(
        person=person, actor=actor, kind=PersonEvent.Kind.LOOKED_AT, detail={"what": what, "id": row_id}
    )


@transaction.atomic
def erase(*, actor: str, person: Person) -> None:
    """The person and everything that hangs on them: conversations, ledger, logins, events. It cannot be undone."""
    del actor  # the event of an erasure would be erased with the person it tells of
    person.delete()


def _set_access(person: Person, *, actor: str, is_active: bool, is_staff: bool, groups: list[Group]) -> None:
    old = {"is_active": person.is_active, "is_staff": person.is_staff, "groups": _names(person.groups.all())}
    new = {"is_active": is_active, "is_staff": is_staff, "groups": _names(groups)}
    if old == new:
        return
    person.is_active, person.is_staff = is_active, is_staff
    person.save(update_fields=["is_active", "is_staff"])
    person.groups.set(groups)
    if not is_active:
        _end_logins(person)
    detail = {name: {"old": old[name], "new": new[name]} for name in old if old[name] != new[name]}
    PersonEvent.objects.create(person=person, actor=actor, kind=PersonEvent.Kind.ACCESS_CHANGED, detail=detail)


def _end_logins(person: Person) -> int:
    ended, _ = DeviceToken.logins.of(person).delete()
    Person.objects.filter(pk=person.pk).update(logins_ended=F("logins_ended") + 1)
    return ended


def _login_event(kind: PersonEvent.Kind, *, actor: str, row: DeviceToken) -> None:
    # The digest's head tells two logins apart and is no use to anybody: the token cannot be found from it.
    detail = {"door": "api", "device": row.device, "token": row.digest[:12]}
    PersonEvent.objects.create(person=row.user, actor=actor, kind=kind, detail=detail)


def _names(groups: Iterable[Group]) -> list[str]:
    return sorted(group.name for group in groups)


def _plain(value: str | date | None) -> str | None:
    return value.isoformat() if isinstance(value, date) else value
