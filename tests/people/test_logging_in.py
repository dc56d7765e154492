"""Logging in and out: per device, revocable, and silent about who exists."""

from datetime import timedelta
from typing import Any

import pytest
import time_machine
from django.conf import settings as house
from django.test import Client
from django.utils import timezone
from rest_framework.test import APIClient

from ella.people.models import DeviceToken, Person, PersonEvent
from tests.api.shapes import field_errors, only_error
from tests.conftest import PASSWORD

LOGIN = "/api/v1/auth/login"
ME = "/api/v1/me"


def log_in(username: str = "nour", password: str = PASSWORD, **more: Any) -> Any:
    return APIClient().post(LOGIN, {"username": username, "password": password, **more}, format="json")


def with_token(token: str) -> APIClient:
    client = APIClient()
    client.credentials(HTTP_AUTHORIZATION=f"Token {token}")
    return client


def test_login_answers_a_token_its_expiry_and_the_person(person: Person) -> None:
    response = log_in(device="Nour's phone")

    assert response.status_code == 200
    body = response.json()
    assert set(body) == {"token", "expiry", "person"}
    assert body["person"]["id"] == str(person.pk)
    row = DeviceToken.logins.of(person).get()
    assert row.device == "Nour's phone"
    assert body["token"] not in (row.digest, row.token_key)
    assert with_token(body["token"]).get(ME).json()["username"] == "nour"
    person.refresh_from_db()
    assert person.last_login is not None


@pytest.mark.parametrize("written", ["NOUR", "Nour", " nour ", "ｎｏｕｒ"])
def test_the_user_name_may_be_written_in_any_letter_case(person: Person, written: str) -> None:
    assert log_in(written).status_code == 200


@pytest.mark.parametrize(
    ("username", "password"),
    [("nour", "not the passphrase"), ("nobody", PASSWORD), ("nour", PASSWORD.upper()), ("nour", f"{PASSWORD} ")],
)
def test_a_wrong_password_and_an_unknown_name_are_refused_in_the_same_words(
    person: Person, username: str, password: str
) -> None:
    response = log_in(username, password)

    assert response.status_code == 401
    assert response.headers["WWW-Authenticate"] == "Token"
    error = only_error(response)
    assert error["code"] == "invalid_credentials"
    assert error["detail"] == only_error(log_in("somebody else", "entirely"))["detail"]
    assert not DeviceToken.logins.exists()
    assert not person.events.filter(kind=PersonEvent.Kind.LOGGED_IN).exists()


def test_somebody_who_may_not_log_in_is_refused_like_a_wrong_password(person: Person) -> None:
    Person.objects.filter(pk=person.pk).update(is_active=False)

    response = log_in()

    assert response.status_code == 401
    assert only_error(response)["code"] == "invalid_credentials"
    assert not DeviceToken.logins.exists()


def test_what_is_missing_is_named(person: Person) -> None:
    response = APIClient().post(LOGIN, {"username": "nour"}, format="json")

    assert field_errors(response) == {"password": ["required"]}


def test_an_old_token_in_the_header_does_not_stand_in_the_way_of_a_new_one(person: Person) -> None:
    client = with_token("0" * 64)

    response = client.post(LOGIN, {"username": "nour", "password": PASSWORD}, format="json")

    assert response.status_code == 200


def test_each_device_has_its_own_token_and_logs_out_alone(person: Person) -> None:
    phone, laptop = (with_token(log_in(device=name).json()["token"]) for name in ("phone", "laptop"))

    assert phone.post("/api/v1/auth/logout").status_code == 204

    assert phone.get(ME).status_code == 401
    assert laptop.get(ME).status_code == 200
    (event,) = person.events.filter(kind=PersonEvent.Kind.LOGGED_OUT)
    assert event.detail["device"] == "phone"


def test_logoutall_ends_every_token_and_every_login_at_the_pages_but_nobody_elses(
    person: Person, other_api: APIClient
) -> None:
    phone, laptop = (with_token(log_in().json()["token"]) for _ in range(2))
    browser = Client()
    assert browser.login(username="nour", password=PASSWORD)
    assert browser.get(ME).status_code == 200

    assert phone.post("/api/v1/auth/logoutall").status_code == 204

    assert [client.get(ME).status_code for client in (phone, laptop, browser)] == [401, 401, 401]
    assert other_api.get(ME).status_code == 200
    (event,) = person.events.filter(kind=PersonEvent.Kind.LOGGED_OUT_EVERYWHERE)
    assert event.detail == {"devices": 2}


def test_a_token_stops_working_when_its_person_may_not_log_in_any_more(person: Person, api: APIClient) -> None:
    Person.objects.filter(pk=person.pk).update(is_active=False)

    response = api.get(ME)

    assert response.status_code == 401
    assert only_error(response)["code"] == "authentication_failed"


def test_a_token_expires_and_the_next_login_sweeps_it_away(person: Person) -> None:
    client = with_token(log_in().json()["token"])
    later = timezone.now() + house.REST_KNOX["TOKEN_TTL"]

    with time_machine.travel(later - timedelta(minutes=1)):
        assert client.get(ME).status_code == 200
    with time_machine.travel(later + timedelta(minutes=1)):
        assert client.get(ME).status_code == 401
        log_in()

    assert DeviceToken.logins.of(person).count() == 1


@pytest.mark.parametrize(
    "header",
    [
        "Token",
        "Token a b",
        "Token " + "0" * 64,
        "Token not-hex-at-all",
        "Token " + "é" * 15,
        "Token \udcff\udcfe",
        "Token " + "9" * 5000,
        "Bearer something",
    ],
)
def test_a_header_that_is_no_token_of_ours_is_401_and_never_a_fault(db: None, header: str) -> None:
    client = APIClient()
    client.credentials(HTTP_AUTHORIZATION=header.encode("utf-8", "surrogateescape").decode("latin-1"))

    response = client.get(ME)

    assert response.status_code == 401
    assert response.headers["WWW-Authenticate"] == "Token"
    assert only_error(response)["code"] in {"authentication_failed", "not_authenticated"}


def test_a_token_costs_one_query(api: APIClient, django_assert_num_queries: Any) -> None:
    with django_assert_num_queries(1):
        api.get(ME)


def test_a_browser_session_needs_its_csrf_token_to_change_anything(person: Person) -> None:
    browser = Client(enforce_csrf_checks=True)
    browser.force_login(person)

    response = browser.patch(ME, {"display_name": "Mallory"}, content_type="application/json")

    assert response.status_code == 403
    assert only_error(response)["code"] == "permission_denied"
    person.refresh_from_db()
    assert person.display_name == "Nour"
