"""One's own profile: read, changed with an audit row, and erased with everything that hangs on it."""

import json
from typing import Any

import pytest
from django.db import models
from rest_framework.test import APIClient

from ella.conversation.models import Conversation
from ella.people.models import DeviceToken, Person, PersonEvent
from ledger.models import Fact
from tests.api.shapes import field_errors, only_error

ME = "/api/v1/me"


def change(client: APIClient, **changes: Any) -> Any:
    return client.patch(ME, json.dumps(changes), content_type="application/json")


def test_me_is_who_is_logged_in_and_nothing_secret(api: APIClient, person: Person) -> None:
    body = api.get(ME).json()

    assert body == {
        "id": str(person.pk),
        "username": "nour",
        "display_name": "Nour",
        "timezone": "Europe/Lisbon",
        "country": "",
        "language": "en",
        "birth_date": None,
        "created_at": body["created_at"],
    }


@pytest.mark.parametrize("method", ["get", "patch", "delete"])
def test_nobody_who_is_not_logged_in_reaches_me(person: Person, method: str) -> None:
    response = getattr(APIClient(), method)(ME)

    assert response.status_code == 401
    assert only_error(response)["code"] == "not_authenticated"
    assert Person.objects.filter(pk=person.pk).exists()


def test_a_change_is_answered_stored_and_written_down_old_and_new(api: APIClient, person: Person) -> None:
    response = change(api, display_name="Nour 🌊", timezone="Asia/Tokyo", birth_date="1988-02-29")

    assert response.status_code == 200
    assert response.json()["display_name"] == "Nour 🌊"
    person.refresh_from_db()
    assert person.timezone == "Asia/Tokyo"
    (event,) = person.events.filter(kind=PersonEvent.Kind.PROFILE_CHANGED)
    assert event.actor == "nour"
    assert event.detail == {
        "display_name": {"old": "Nour", "new": "Nour 🌊"},
        "timezone": {"old": "Europe/Lisbon", "new": "Asia/Tokyo"},
        "birth_date": {"old": None, "new": "1988-02-29"},
    }


def test_sending_what_is_so_already_changes_nothing_and_writes_nothing_down(api: APIClient, person: Person) -> None:
    response = change(api, **api.get(ME).json())

    assert response.status_code == 200
    assert not person.events.filter(kind=PersonEvent.Kind.PROFILE_CHANGED).exists()


def test_a_birth_date_can_be_taken_back(api: APIClient, person: Person) -> None:
    change(api, birth_date="1988-02-29")

    assert change(api, birth_date=None).json()["birth_date"] is None


@pytest.mark.parametrize(
    ("changes", "field", "code"),
    [
        ({"nickname": "No"}, "nickname", "unknown_field"),
        ({"is_superuser": True}, "is_superuser", "unknown_field"),
        ({"password": "a new one entirely"}, "password", "unknown_field"),
        ({"timezone": "Mars/Olympus"}, "timezone", "unknown_timezone"),
        ({"timezone": "+02:00"}, "timezone", "unknown_timezone"),
        ({"timezone": None}, "timezone", "null"),
        ({"country": "P\0"}, "country", "null_characters_not_allowed"),
        ({"display_name": "\ud83d\ud83d"}, "display_name", "surrogate_characters_not_allowed"),
        ({"display_name": ["Nour"]}, "display_name", "invalid"),
        ({"display_name": "n" * 81}, "display_name", "max_length"),
        ({"birth_date": "1899-12-31"}, "birth_date", "birth_date_too_old"),
        ({"birth_date": "2023-02-29"}, "birth_date", "invalid"),
        ({"birth_date": 7}, "birth_date", "invalid"),
    ],
)
def test_a_change_that_cannot_be_is_named_and_none_of_it_is_made(
    api: APIClient, person: Person, changes: dict[str, Any], field: str, code: str
) -> None:
    response = change(api, language="pt", **changes)

    assert response.status_code == 400
    assert field_errors(response) == {field: [code]}
    person.refresh_from_db()
    assert person.language == "en"
    assert not person.events.filter(kind=PersonEvent.Kind.PROFILE_CHANGED).exists()


@pytest.mark.parametrize("name", ["id", "username", "created_at"])
def test_what_is_read_only_stays_as_it_is(api: APIClient, person: Person, name: str) -> None:
    response = change(api, **{name: "x", "display_name": "Changed"})

    assert response.status_code == 200
    assert response.json()[name] == api.get(ME).json()[name] != "x"


def test_delete_erases_the_person_with_all_that_hangs_on_them_and_nobody_else(
    api: APIClient, other_api: APIClient, person: Person, other_person: Person
) -> None:
    assert Fact.objects.for_owner(person.pk).exists()
    api.post("/api/v1/conversations", {"title": "Second"}, format="json")

    response = api.delete(ME)

    assert response.status_code == 204
    assert list(Person.objects.all()) == [other_person]
    for model in (Conversation, Fact, PersonEvent, DeviceToken):
        assert set(model.objects.values_list(_owner_of(model), flat=True)) == {other_person.pk}
    assert api.get(ME).status_code == 401
    assert other_api.get(ME).status_code == 200


def test_everything_that_points_at_a_person_goes_with_them() -> None:
    """Of a table that keeps its rows somebody must have decided so: name it here, with the reason."""
    pointing = [relation for relation in Person._meta.get_fields(include_hidden=True) if relation.auto_created]
    kept = {
        str(relation.related_model)
        for relation in pointing
        if isinstance(relation, models.ManyToOneRel) and relation.on_delete is not models.CASCADE
    }

    assert len(pointing) > 10
    assert kept == set()


def _owner_of(model: type[models.Model]) -> str:
    return next(field.name for field in model._meta.fields if field.related_model is Person)
