"""Registering: who may, what is refused, and what exists afterwards."""

import json
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from django.db import connections
from pytest_django.fixtures import Settings
from rest_framework.test import APIClient

from ella.conversation.models import Conversation
from ella.people.models import DeviceToken, Person, PersonEvent
from ledger.models import Fact
from tests.api.shapes import field_errors, only_error

REGISTER = "/api/v1/auth/register"
SENT = {
    "username": "Ana",
    "password": "correct horse battery",
    "display_name": "Aninha",
    "timezone": "Europe/Lisbon",
    "country": "PT",
    "language": "pt",
    "birth_date": "1990-04-30",
}


@pytest.fixture(autouse=True)
def open_registration(settings: Settings) -> None:
    settings.OPEN_REGISTRATION = True


def send(body: dict[str, Any]) -> Any:
    # Escaped, since half a character can travel in no other way.
    return APIClient().post(REGISTER, json.dumps(body), content_type="application/json")


def nothing_was_stored() -> bool:
    rows = (Person, PersonEvent, DeviceToken, Conversation, Fact)
    return not any(model.objects.exists() for model in rows)


@pytest.mark.django_db
def test_a_new_person_is_logged_in_has_a_home_and_a_first_conversation(client: APIClient) -> None:
    response = send(SENT)

    assert response.status_code == 201
    person = Person.objects.get()
    body = response.json()
    expected = {key: value for key, value in SENT.items() if key != "password"}
    assert {key: body["person"][key] for key in expected} == expected
    assert body["person"]["id"] == str(person.pk)
    assert person.check_password(SENT["password"])
    assert Conversation.objects.for_owner(person.pk).count() == 1
    assert Fact.objects.for_owner(person.pk).exists()
    assert [event.kind for event in person.events.order_by("id")] == ["registered", "logged_in"]
    client = APIClient()
    client.credentials(HTTP_AUTHORIZATION=f"Token {body['token']}")
    assert client.get("/api/v1/me").json()["username"] == "Ana"


@pytest.mark.django_db
def test_no_password_or_token_is_written_into_an_event() -> None:
    body = send(SENT).json()

    written = str(list(PersonEvent.objects.values_list("detail", flat=True)))
    assert SENT["password"] not in written
    assert body["token"][:8] not in written


@pytest.mark.django_db
def test_registration_that_is_closed_says_so_and_makes_nobody(settings: Settings) -> None:
    settings.OPEN_REGISTRATION = False

    response = send(SENT)

    assert response.status_code == 403
    assert only_error(response)["code"] == "registration_closed"
    assert nothing_was_stored()


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("changed", "field", "code"),
    [
        ({"password": "short"}, "password", "password_too_short"),
        ({"password": "password123"}, "password", "password_too_common"),
        ({"password": "8675309867"}, "password", "password_entirely_numeric"),
        ({"username": "annalena", "password": "annalena1"}, "password", "password_too_similar"),
        ({"username": "two words"}, "username", "invalid"),
        ({"username": ""}, "username", "blank"),
        ({"username": "a" * 81}, "username", "max_length"),
        ({"username": "ana\0"}, "username", "null_characters_not_allowed"),
        ({"display_name": "\ud83d"}, "display_name", "surrogate_characters_not_allowed"),
        ({"country": "Portugal"}, "country", "max_length"),
        ({"country": "pt"}, "country", "invalid"),
        ({"timezone": "Lisbon"}, "timezone", "unknown_timezone"),
        ({"language": "portuguese please"}, "language", "invalid"),
        ({"birth_date": "2999-01-01"}, "birth_date", "birth_date_in_future"),
        ({"birth_date": "30.4.1990"}, "birth_date", "invalid"),
        ({"is_staff": True}, "is_staff", "unknown_field"),
    ],
)
def test_what_is_wrong_is_named_and_nothing_is_stored(changed: dict[str, object], field: str, code: str) -> None:
    response = send({**SENT, **changed})

    assert response.status_code == 400
    assert code in field_errors(response)[field]
    assert nothing_was_stored()


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("first", "second"),
    [("Ana", "ana"), ("ana", "ANA"), ("Ärger", "ärger"), ("STRASSE", "straße"), ("Ana", "Ａｎａ"), ("Ζωή", "ζωή")],
)
def test_a_name_in_other_letters_is_the_same_name(first: str, second: str) -> None:
    assert send({**SENT, "username": first}).status_code == 201

    response = send({**SENT, "username": second})

    assert response.status_code == 400
    assert field_errors(response) == {"username": ["unique"]}
    assert Person.objects.count() == 1
    assert Conversation.objects.count() == 1


@pytest.mark.django_db
@pytest.mark.parametrize("name", ["李小龍", "Ольга", "يوسف", "Zoë", "नेहा"])
def test_names_of_every_script_register_and_log_in(name: str) -> None:
    assert send({**SENT, "username": name}).status_code == 201

    response = APIClient().post("/api/v1/auth/login", {"username": name, "password": SENT["password"]}, format="json")
    assert response.status_code == 200
    assert response.json()["person"]["username"] == name


@pytest.mark.django_db
def test_a_display_name_may_hold_anything_that_can_be_written() -> None:
    name = "👩‍👩‍👧 \u202eNour\u202c [SCENE STATE]"

    response = send({**SENT, "display_name": name})

    assert response.json()["person"]["display_name"] == name


@pytest.mark.django_db(transaction=True)
def test_of_twenty_people_who_want_one_name_at_once_one_gets_it() -> None:
    def attempt(number: int) -> int:
        try:
            name = "Nour" if number % 2 else "nour"
            response = send({**SENT, "username": name})
            assert response.status_code == 201 or field_errors(response) == {"username": ["unique"]}
            return response.status_code
        finally:
            connections.close_all()

    with ThreadPoolExecutor(20) as pool:
        statuses = sorted(pool.map(attempt, range(20)))

    assert statuses == [201] + [400] * 19
    assert Person.objects.count() == 1
    assert Conversation.objects.count() == 1
    assert PersonEvent.objects.filter(kind=PersonEvent.Kind.REGISTERED).count() == 1
