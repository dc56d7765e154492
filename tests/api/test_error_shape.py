"""Whatever goes wrong under /api/, it is told in one shape; everywhere else a page says it."""

import json
from typing import Any

import pytest
from django.contrib.sessions.middleware import SessionMiddleware
from django.core.exceptions import ValidationError
from django.http import Http404
from django.test import Client
from pytest_django.fixtures import Settings
from rest_framework.exceptions import Throttled
from rest_framework.test import APIClient

from ella.error_answers import json_error
from ella.errors import DomainError
from ella.people import services
from ella.people.models import Person
from tests.api.shapes import errors_of, field_errors, only_error

ME = "/api/v1/me"


def patch(api: APIClient, body: bytes | str, content_type: str = "application/json") -> Any:
    return api.patch(ME, body, content_type=content_type)


@pytest.mark.parametrize(
    "body",
    [
        b"{",
        b"",
        b"nonsense",
        b'{"display_name": "\xff\xfe"}',
        b'{"display_name": NaN}',
        b'{"display_name": 1e999}',
        b'{"display_name": ' + b"9" * 5000 + b"}",
        b"[" * 50_000,
        b'{"a":' * 50_000,
        '{"display_name": "x"}'.encode("utf-16"),
    ],
)
def test_what_is_no_json_is_a_parse_error(api: APIClient, person: Person, body: bytes) -> None:
    response = patch(api, body)

    if body == b"":
        assert response.status_code == 200
        return
    assert response.status_code == 400
    error = only_error(response)
    assert (response.json()["type"], error["code"], error["attr"]) == ("client_error", "parse_error", None)
    person.refresh_from_db()
    assert person.display_name == "Nour"


@pytest.mark.parametrize("body", ["[]", '"text"', "7", "true", '[{"display_name": "x"}]'])
def test_json_that_is_no_object_is_a_validation_error(api: APIClient, body: str) -> None:
    response = patch(api, body)

    assert response.status_code == 400
    assert field_errors(response) == {"non_field_errors": ["invalid"]}


@pytest.mark.parametrize(
    ("body", "attr", "code"),
    [
        ({"display_name": "a\0"}, "display_name", "null_characters_not_allowed"),
        ({"nested": [{"deep": "\ud800"}]}, "nested.0.deep", "surrogate_characters_not_allowed"),
        ({"\udc00": 1}, "\\udc00", "surrogate_characters_not_allowed"),
        ({"\0": 1}, "\0", "null_characters_not_allowed"),
        (["\0"], "0", "null_characters_not_allowed"),
        ("\0", "non_field_errors", "null_characters_not_allowed"),
        ({"country": "\udfff"}, "country", "surrogate_characters_not_allowed"),
    ],
)
def test_text_no_database_can_hold_is_refused_wherever_it_stands(
    api: APIClient, body: Any, attr: str, code: str
) -> None:
    response = patch(api, json.dumps(body))

    assert response.status_code == 400
    assert field_errors(response) == {attr: [code]}


def test_an_emoji_written_as_two_halves_is_a_whole_one(api: APIClient) -> None:
    response = patch(api, r'{"display_name": "\ud83c\udf0a"}')

    assert response.json()["display_name"] == "🌊"


def test_every_wrong_field_is_named_at_once(api: APIClient) -> None:
    response = patch(api, json.dumps({"timezone": "x", "country": "xyz", "nope": 1}))

    assert set(field_errors(response)) == {"timezone", "country", "nope"}


@pytest.mark.parametrize("content_type", ["application/json", "application/json; charset=latin-1"])
def test_a_body_over_the_limit_is_413(api: APIClient, person: Person, settings: Settings, content_type: str) -> None:
    settings.DATA_UPLOAD_MAX_MEMORY_SIZE = 1000
    fits = json.dumps({"display_name": "x".ljust(10)}).ljust(1000)
    assert patch(api, fits, content_type).status_code == 200

    response = patch(api, fits + " ", content_type)

    assert response.status_code == 413
    assert only_error(response)["code"] == "body_too_large"


def test_a_form_over_the_limit_is_refused_too(api: APIClient, settings: Settings) -> None:
    settings.DATA_UPLOAD_MAX_MEMORY_SIZE = 1000

    response = patch(api, "display_name=" + "x" * 1000, "application/x-www-form-urlencoded")

    assert response.status_code in {413, 415}
    assert errors_of(response)


def test_a_body_sent_in_chunks_is_told_that_its_length_is_missing(api: APIClient, person: Person) -> None:
    response = api.patch(ME, HTTP_TRANSFER_ENCODING="chunked", CONTENT_LENGTH="")

    assert response.status_code == 411
    assert only_error(response)["code"] == "length_required"


@pytest.mark.parametrize("content_type", ["text/plain", "application/xml", "multipart/form-data; boundary=x", "x"])
def test_another_media_type_is_415(api: APIClient, content_type: str) -> None:
    response = patch(api, "display_name=x", content_type)

    assert response.status_code == 415
    assert only_error(response)["code"] == "unsupported_media_type"


def test_an_answer_nobody_can_give_is_406(api: APIClient) -> None:
    response = api.get(ME, headers={"accept": "application/xml"})

    assert response.status_code == 406
    assert only_error(response)["code"] == "not_acceptable"


def test_another_method_is_405_and_says_which_there_are(api: APIClient) -> None:
    response = api.put(ME, {}, format="json")

    assert response.status_code == 405
    assert only_error(response)["code"] == "method_not_allowed"
    assert "PATCH" in response.headers["Allow"]


@pytest.mark.parametrize(
    "path",
    [
        "/api/v1/nothing-here",
        "/api/",
        "/api/v2/me",
        "/api/v1/conversations/not-a-uuid/messages",
        "/api/v1/conversations/00000000-0000-0000-0000-00000000000Z/messages",
        "/api/v1/turns/%00",
        "/api/v1/turns/%ff%fe",
        "/api/v1/conversations/00000000-0000-0000-0000-000000000000/messages",
    ],
)
@pytest.mark.parametrize("method", ["get", "post", "delete"])
def test_what_does_not_exist_is_404_in_shape(api: APIClient, path: str, method: str) -> None:
    response = getattr(api, method)(path, {"text": "x", "client_id": "x"} if method == "post" else {}, format="json")

    if response.status_code == 405:
        assert (method, path[-9:]) == ("delete", "/messages")
        return
    assert response.status_code == 404
    assert only_error(response)["code"] == "not_found"


@pytest.mark.parametrize("cursor", ["x", "cD14", "cD0lMDA=", "bz0tMQ==", "cD0xOTk5LTk5LTk5", "cj0xJnA9eA=="])
@pytest.mark.parametrize("of", ["conversations", "messages", "facts"])
def test_a_cursor_that_is_none_is_404_and_never_a_fault(api: APIClient, cursor: str, of: str) -> None:
    conversation = api.get("/api/v1/conversations").json()["results"][0]["id"]
    path = f"conversations/{conversation}/messages" if of == "messages" else of

    response = api.get(f"/api/v1/{path}?cursor={cursor}")

    assert response.status_code == 404
    assert only_error(response)["code"] == "not_found"


@pytest.mark.parametrize("size", ["0", "-1", "ten", "", "1.5", "²", "null"])
def test_a_page_size_that_is_none_is_named(api: APIClient, size: str) -> None:
    response = api.get("/api/v1/conversations", {"page_size": size})

    assert response.status_code == 400
    assert field_errors(response) == {"page_size": ["invalid"]}


def test_a_page_is_never_larger_than_the_largest(api: APIClient) -> None:
    response = api.get("/api/v1/facts", {"page_size": "9" * 5000})

    assert response.status_code == 200
    assert 0 < len(response.json()["results"]) <= 200


def test_a_fault_is_500_in_shape_and_keeps_its_words_to_itself(
    api: APIClient, person: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(**_: Any) -> None:
        raise RuntimeError("the password of the database is 1234")

    monkeypatch.setattr(services, "change_profile", broken)
    api.raise_request_exception = False

    response = patch(api, json.dumps({"display_name": "x"}))

    assert response.status_code == 500
    assert (response.json()["type"], only_error(response)["code"]) == ("server_error", "error")
    assert "1234" not in response.content.decode()


@pytest.mark.parametrize(("path", "content_type"), [("/api/v1/me", "application/json"), ("/login/", "text/html")])
def test_a_fault_outside_every_view_is_told_as_its_address_promises(
    db: None, monkeypatch: pytest.MonkeyPatch, path: str, content_type: str
) -> None:
    def broken(*_: Any) -> None:
        raise RuntimeError("the password of the database is 1234")

    monkeypatch.setattr(SessionMiddleware, "process_request", broken)

    response = Client(raise_request_exception=False).get(path)

    assert response.status_code == 500
    assert response.headers["Content-Type"].startswith(content_type)
    assert "1234" not in response.content.decode()
    if content_type == "application/json":
        assert only_error(response)["code"] == "error"


def test_a_host_that_is_not_ours_is_400_in_shape(db: None) -> None:
    response = APIClient().get(ME, headers={"host": "evil.example"})

    assert response.status_code == 400
    assert errors_of(response)


def test_pages_that_do_not_exist_are_pages(db: None) -> None:
    response = Client().get("/nothing-here/")

    assert response.status_code == 404
    assert response.headers["Content-Type"].startswith("text/html")
    assert "Nothing here" in response.content.decode()


def test_a_form_without_its_csrf_token_is_a_page_that_says_so(db: None) -> None:
    response = Client(enforce_csrf_checks=True).post("/login/", {"username": "nour", "password": "x"})

    assert response.status_code == 403
    assert "This door is not yours" in response.content.decode()


class Busy(DomainError):
    status_code = 503
    default_code = "too_busy"
    default_detail = "Come back later."


def test_a_known_failure_keeps_its_code_its_turn_and_its_pause() -> None:
    turn = "5a3ac9a4-6e0c-4c27-a4b5-9c8a5a4b3c2d"

    response = json_error(Busy(turn=turn, retry_after_s=2.1, headers={"X-Reason": "tide"}))

    assert response.status_code == 503
    assert json.loads(response.content) == {
        "type": "server_error",
        "errors": [{"code": "too_busy", "detail": "Come back later.", "attr": None}],
        "turn": turn,
    }
    assert response.headers["Retry-After"] == "3"
    assert response.headers["X-Reason"] == "tide"


def test_a_failure_without_a_turn_has_none() -> None:
    assert "turn" not in json.loads(json_error(Busy()).content)


@pytest.mark.parametrize(
    ("raised", "status", "code"),
    [
        (Http404(), 404, "not_found"),
        (ValidationError({"text": ValidationError("No.", code="no")}), 400, "no"),
        (ValidationError("No.", code="no"), 400, "no"),
        (ZeroDivisionError(), 500, "error"),
        (Throttled(None), 429, "throttled"),
    ],
)
def test_code_outside_the_views_answers_in_the_same_shape(raised: Exception, status: int, code: str) -> None:
    response = json_error(raised)

    assert response.status_code == status
    assert json.loads(response.content)["errors"][0]["code"] == code


def test_a_throttle_that_cannot_say_how_long_still_names_a_pause() -> None:
    assert json_error(Throttled(None)).headers["Retry-After"] == "1"
