"""The same doors with a form and a browser: logging in, out, and registering where that is open."""

import pytest
from django.test import Client
from pytest_django.fixtures import Settings

from ella.people.models import Person, PersonEvent
from tests.conftest import PASSWORD

NEW = {"username": "ana", "display_name": "Ana", "password": "correct horse battery", "timezone": "Europe/Lisbon"}


def is_logged_in(client: Client) -> bool:
    return client.get("/api/v1/me").status_code == 200


def test_logging_in_leads_where_one_wanted_to_go_and_is_written_down(client: Client, person: Person) -> None:
    sent = {"username": "NOUR", "password": PASSWORD, "next": "/memory/"}

    response = client.post("/login/", sent)

    assert (response.status_code, response.headers["Location"]) == (302, "/memory/")
    assert is_logged_in(client)
    assert person.events.filter(kind=PersonEvent.Kind.LOGGED_IN, detail={"door": "page"}).count() == 1


def test_logging_in_never_leads_to_another_site(client: Client, person: Person) -> None:
    response = client.post("/login/", {"username": "nour", "password": PASSWORD, "next": "https://evil.example/"})

    assert response.headers["Location"] == "/"


def test_a_wrong_password_shows_the_form_again(client: Client, person: Person) -> None:
    response = client.post("/login/", {"username": "nour", "password": "wrong"})

    assert response.status_code == 200
    assert b"do not belong together" in response.content.lower() or b"correct username" in response.content.lower()
    assert not is_logged_in(client)


def test_logging_out_takes_a_post_and_is_written_down(client: Client, person: Person) -> None:
    client.force_login(person)
    assert client.get("/logout/").status_code == 405
    assert is_logged_in(client)

    assert client.post("/logout/").status_code == 302

    assert not is_logged_in(client)
    assert person.events.filter(kind=PersonEvent.Kind.LOGGED_OUT).count() == 1


def test_registering_logs_in(client: Client, db: None, settings: Settings) -> None:
    settings.OPEN_REGISTRATION = True
    assert client.get("/register/").status_code == 200

    response = client.post("/register/", NEW)

    assert response.status_code == 302
    assert is_logged_in(client)
    assert Person.objects.get().timezone == "Europe/Lisbon"


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"password": "short"}, "too short"),
        ({"username": "NOUR"}, "Somebody has this user name already."),
        ({"timezone": "Lisbon"}, "is not an IANA time zone"),
        ({"display_name": "a\0b"}, "Null characters are not allowed."),
    ],
)
def test_a_registration_that_is_refused_says_why_and_makes_nobody(
    client: Client, person: Person, settings: Settings, changed: dict[str, str], said: str
) -> None:
    settings.OPEN_REGISTRATION = True

    response = client.post("/register/", {**NEW, **changed})

    assert response.status_code == 200
    assert said in response.content.decode()
    assert list(Person.objects.all()) == [person]
    assert not is_logged_in(client)


@pytest.mark.parametrize("method", ["get", "post"])
def test_there_is_no_registration_page_where_registration_is_closed(client: Client, db: None, method: str) -> None:
    assert getattr(client, method)("/register/", NEW).status_code == 404
    assert not Person.objects.exists()


def test_the_back_office_has_no_door_of_its_own(client: Client, person: Person) -> None:
    response = client.get("/admin/", follow=True)
    assert response.redirect_chain[-1][0] == "/login/?next=/admin/"

    client.force_login(person)
    refused = client.get("/admin/", follow=True)

    assert refused.status_code == 403
    assert "This door is not yours" in refused.content.decode()
