"""How often: guessing passwords is slowed down, at the API and at the pages, and nobody can lock somebody else out."""

import itertools
from typing import Any

import pytest
from django.test import Client
from rest_framework.test import APIClient

from ella.people.models import Person
from tests.api.shapes import only_error
from tests.conftest import PASSWORD

# Counts live in a cache that tests share: every test comes from addresses nobody has come from before.
_ADDRESSES = (f"10.{a}.{b}.{c}" for a, b, c in itertools.product(range(256), repeat=3))


@pytest.fixture
def address(worker_id: str) -> str:
    return f"{next(_ADDRESSES)}-{worker_id}"


def log_in(address: str, username: str = "nour", password: str = "wrong") -> Any:  # noqa: S107 (it is to be wrong)
    sent = {"username": username, "password": password}
    return APIClient(REMOTE_ADDR=address).post("/api/v1/auth/login", sent, format="json")


def test_after_three_wrong_passwords_the_right_one_has_to_wait(
    person: Person, lavish_throttles: dict[str, str], address: str
) -> None:
    lavish_throttles["login"] = "3/min"
    assert [log_in(address).status_code for _ in range(3)] == [401] * 3

    response = log_in(address, password=PASSWORD)

    assert response.status_code == 429
    error = only_error(response)
    assert (response.json()["type"], error["code"]) == ("client_error", "throttled")
    assert 0 < int(response.headers["Retry-After"]) <= 60
    assert not person.events.filter(kind="logged_in").exists()


def test_another_spelling_of_the_name_is_counted_with_it(
    person: Person, lavish_throttles: dict[str, str], address: str
) -> None:
    lavish_throttles["login"] = "2/min"

    assert [log_in(address, name).status_code for name in ("nour", "NOUR", "Ｎour")] == [401, 401, 429]


def test_somebody_elses_guesses_do_not_lock_anybody_out(
    person: Person, other_person: Person, lavish_throttles: dict[str, str], address: str
) -> None:
    lavish_throttles["login"] = "1/min"
    log_in(address)
    assert log_in(address).status_code == 429

    assert log_in(address, "teo", PASSWORD).status_code == 200
    assert log_in(f"{address}-another", "nour", PASSWORD).status_code == 200


def test_one_address_that_tries_many_names_is_slowed_down_too(
    db: None, lavish_throttles: dict[str, str], address: str
) -> None:
    lavish_throttles["anon"] = "3/min"

    statuses = [log_in(address, f"name-{number}").status_code for number in range(4)]

    assert statuses == [401, 401, 401, 429]


@pytest.mark.parametrize("body", ["[]", '{"username": {"a": 1}}', '{"username": null}', '{"username": 7}', "null", "{"])
def test_a_body_without_a_name_is_counted_and_refused_as_ever(
    db: None, lavish_throttles: dict[str, str], address: str, body: str
) -> None:
    client = APIClient(REMOTE_ADDR=address)

    response = client.post("/api/v1/auth/login", body, content_type="application/json")

    assert response.status_code in {400, 401}


def test_the_login_page_counts_with_the_api(person: Person, lavish_throttles: dict[str, str], address: str) -> None:
    lavish_throttles["login"] = "2/min"
    log_in(address)
    log_in(address)
    browser = Client(REMOTE_ADDR=address)

    response = browser.post("/login/", {"username": "nour", "password": PASSWORD})

    assert response.status_code == 429
    assert "A little slower" in response.content.decode()
    assert int(response.headers["Retry-After"]) > 0
    assert browser.get("/api/v1/me").status_code == 401
    assert browser.get("/login/").status_code == 200


@pytest.mark.parametrize("door", ["/api/v1/auth/register", "/register/"])
def test_accounts_are_not_made_in_bulk(
    db: None, settings: Any, lavish_throttles: dict[str, str], address: str, door: str
) -> None:
    settings.OPEN_REGISTRATION = True
    lavish_throttles["register"] = "1/hour"
    client = APIClient(REMOTE_ADDR=address)

    for number in range(2):
        sent = {"username": f"new-{number}", "password": "correct horse battery", "timezone": "UTC"}
        response = client.post(door, sent, format="json" if door.startswith("/api") else "multipart")

    assert response.status_code == 429
    assert [person.username for person in Person.objects.all()] == ["new-0"]


def test_a_person_is_counted_over_all_their_devices(
    person: Person, api: APIClient, lavish_throttles: dict[str, str]
) -> None:
    lavish_throttles["user"] = "2/min"
    second = APIClient()
    second.force_login(person)

    statuses = [client.get("/api/v1/me").status_code for client in (api, second, api)]

    assert statuses == [200, 200, 429]
