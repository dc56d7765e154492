"""The API's description: made without a warning, complete, readable without a network, and true."""

import re
from collections.abc import Iterator
from typing import Any

import pytest
import schemathesis
from django.core.handlers.wsgi import WSGIHandler
from django.core.management import call_command
from django.core.signals import request_finished, request_started
from django.db import close_old_connections
from django.test import Client
from drf_spectacular.generators import SchemaGenerator
from hypothesis import HealthCheck, Phase, settings
from rest_framework.test import APIClient
from schemathesis import Case
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
    unsupported_method,
)

from ella.people.models import Person

TRUE = [
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_schema_conformance,
    unsupported_method,
]


def described(client: Client) -> dict[str, Any]:
    response = client.get("/api/schema/?format=json", headers={"accept": "application/vnd.oai.openapi+json"})
    assert response.status_code == 200
    return dict(response.json())


def operations(description: dict[str, Any]) -> list[tuple[str, str, dict[str, Any]]]:
    return [
        (path, method, operation)
        for path, methods in description["paths"].items()
        for method, operation in methods.items()
    ]


def test_the_description_is_made_without_a_warning(capsys: pytest.CaptureFixture[str]) -> None:
    call_command("spectacular", "--validate", "--fail-on-warn")

    assert "openapi: 3" in capsys.readouterr().out


def test_every_operation_says_what_it_is_for_and_how_it_refuses(client: Client) -> None:
    for path, method, operation in operations(described(client)):
        told = operation["responses"]
        assert operation["description"], (method, path)
        assert {"405", "429", "500"} <= told.keys(), (method, path)
        assert ("401" in told) or "security" not in operation or {} in operation["security"], (method, path)
        for status, answer in told.items():
            if int(status) >= 400:
                reference = answer["content"]["application/json"]["schema"]["$ref"]
                assert reference.endswith("/ErrorResponse"), (method, path, status)


def test_the_docs_page_asks_no_other_host_for_anything(client: Client) -> None:
    response = client.get("/api/docs/")

    assert response.status_code == 200
    sources = re.findall(r"""(?:src|href)=["']([^"']+)""", response.content.decode())
    assert any(source.endswith("swagger-ui-bundle.js") for source in sources)
    for source in sources:
        assert source.startswith("/"), source


def test_a_page_login_reads_the_docs_and_the_api_alike(client: Client, person: Person) -> None:
    client.force_login(person)

    assert client.get("/api/docs/").status_code == 200
    assert client.get("/api/v1/me").status_code == 200


@pytest.fixture
def one_connection(db: None) -> Iterator[None]:
    """What Django's test client does too: the end of a request must not close the connection of the test around it."""
    request_started.disconnect(close_old_connections)
    request_finished.disconnect(close_old_connections)
    yield
    request_started.connect(close_old_connections)
    request_finished.connect(close_old_connections)


def api_as_described() -> Any:
    schema = schemathesis.openapi.from_dict(SchemaGenerator().get_schema(public=True))
    schema.app = WSGIHandler()
    # A turn asks the model: the conversation's own tests send what cannot be read to it.
    return schema.exclude(method="POST", path_regex="/messages$")


@api_as_described().parametrize()
@settings(
    max_examples=12,
    derandomize=True,
    deadline=None,
    phases=[Phase.explicit, Phase.generate],
    suppress_health_check=list(HealthCheck),
)
def test_whatever_is_sent_is_answered_as_described(case: Case, api: APIClient, one_connection: None) -> None:
    headers = {"Authorization": api._credentials["HTTP_AUTHORIZATION"]}

    response = case.call_and_validate(headers=headers, checks=TRUE)

    assert response.status_code < 500
