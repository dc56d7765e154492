"""What a load balancer asks: is it alive, and can it work; and if not, which part of it cannot."""

from typing import Any

import pytest
from celery import current_app
from django.db import connections
from django.db.migrations.executor import MigrationExecutor
from django.db.utils import OperationalError
from django.test import Client

from ella import health


def test_live_touches_no_database(client: Client) -> None:
    response = client.get("/health/live")

    assert (response.status_code, response.json()) == (200, {"status": "ok"})
    assert "no-store" in response.headers["Cache-Control"]


def test_ready_names_every_part_that_works(client: Client, db: None) -> None:
    response = client.get("/health/ready")

    assert response.status_code == 200
    assert response.json() == {"status": "ok", "database": "ok", "migrations": "ok", "broker": "ok"}


def test_ready_is_cheap_once_it_has_seen_the_tables(client: Client, db: None, django_assert_num_queries: Any) -> None:
    client.get("/health/ready")

    with django_assert_num_queries(1):
        client.get("/health/ready")


def test_a_database_that_is_gone_is_named_without_its_words(
    client: Client, db: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    def gone(*_: Any) -> None:
        raise OperationalError("could not connect as ella with password 1234")

    with monkeypatch.context() as patched:
        patched.setattr(type(connections["default"]), "cursor", gone)
        response = client.get("/health/ready")

    assert response.status_code == 503
    assert response.json()["database"] == "unreachable"
    assert response.json()["status"] == "unavailable"
    assert "1234" not in response.content.decode()


def test_tables_older_than_the_code_are_named(client: Client, db: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(MigrationExecutor, "migration_plan", lambda *_: [("people.0003_next", False)])
    health._all_applied.clear()

    response = client.get("/health/ready")

    assert response.status_code == 503
    assert response.json()["migrations"] == "unapplied"


def test_a_broker_that_is_gone_is_named_soon(client: Client, db: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(current_app.conf, "broker_url", "redis://127.0.0.1:9/0")
    monkeypatch.setattr(current_app.conf, "broker_read_url", "redis://127.0.0.1:9/0")
    monkeypatch.setattr(current_app.conf, "broker_write_url", "redis://127.0.0.1:9/0")
    monkeypatch.setattr(health, "BROKER_TIMEOUT_S", 0.2)

    response = client.get("/health/ready")

    assert response.status_code == 503
    assert response.json()["broker"] == "unreachable"
    assert response.json()["database"] == "ok"


@pytest.mark.parametrize("path", ["/health/live", "/health/ready"])
def test_health_is_asked_never_told(client: Client, db: None, path: str) -> None:
    assert client.post(path).status_code == 405
