"""
How a person comes to be: the account, the home they share with Ella, and a first conversation, all or nothing.

It stands apart from services.py because it looks down into other wings; nothing of theirs looks back at it.
"""

from __future__ import annotations

from datetime import date

from django.contrib.auth.hashers import make_password
from django.contrib.auth.password_validation import validate_password
from django.core.exceptions import ValidationError
from django.db import IntegrityError, transaction

from ella.conversation.services import open_conversation
from ella.people.models import Person, PersonEvent, username_key
from ledger.seed import seed_home


def register(
    *,
    actor: str,
    username: str,
    password: str,
    display_name: str = "",
    timezone: str = "UTC",
    country: str = "",
    language: str = "en",
    birth_date: date | None = None,
) -> Person:
    """
    A new person. `timezone` is an IANA name, `country` ISO 3166-1 alpha-2, `language` a BCP 47 tag.

    Raises ValidationError naming every field that is wrong (a user name taken in any letter case: code `unique`), and
    nothing is stored then.
    """
    person = Person(
        username=Person.normalize_username(username),
        display_name=display_name,
        timezone=timezone,
        country=country,
        language=language,
        birth_date=birth_date,
    )
    _validate(person, password)
    # Hashing takes most of a second, on purpose: not inside a transaction, where everybody else would wait for it.
    person.password = make_password(password)
    try:
        with transaction.atomic():
            person.save(force_insert=True)
            PersonEvent.objects.create(person=person, actor=actor, kind=PersonEvent.Kind.REGISTERED)
            seed_home(actor=actor, owner=person, seed=str(person.pk))
            open_conversation(actor=actor, owner_id=person.pk)
    except IntegrityError:
        if _is_taken(person.username):
            raise ValidationError({"username": _taken()}) from None
        raise
    return person


def _validate(person: Person, password: str) -> None:
    errors: dict[str, list[ValidationError]] = {}
    try:
        person.full_clean(exclude=["password", "username_key"], validate_unique=False)
    except ValidationError as exc:
        exc.update_error_dict(errors)
    if "username" not in errors and _is_taken(person.username):
        errors["username"] = [_taken()]
    try:
        validate_password(password, user=person)
    except ValidationError as exc:
        errors["password"] = exc.error_list
    if errors:
        raise ValidationError(errors)


def _is_taken(username: str) -> bool:
    return Person.objects.filter(username_key=username_key(username)).exists()


def _taken() -> ValidationError:
    return ValidationError("Somebody has this user name already.", code="unique")
