"""What a browser is told it may load."""

from __future__ import annotations

import pytest
from django.test import AsyncClient, Client
from pytest_django.fixtures import Settings

HEADER = "Content-Security-Policy"


@pytest.mark.parametrize("address", ["/login/", "/nowhere", "/api/v1/me", "/health/live", "/static/ella/favicon.svg"])
def test_nothing_from_elsewhere_and_nothing_inside_a_page_runs(client: Client, db: None, address: str) -> None:
    policy = client.get(address)[HEADER]
    assert "default-src 'none'" in policy
    assert "script-src 'self';" in policy
    assert "style-src 'self';" in policy
    assert "frame-ancestors 'none'" in policy
    assert "unsafe" not in policy


def test_the_docs_may_run_what_stands_in_their_page_and_nothing_from_elsewhere(client: Client, db: None) -> None:
    policy = client.get("/api/docs/")[HEADER]
    assert "script-src 'self' 'unsafe-inline'" in policy
    assert "http" not in policy


async def test_it_is_the_same_where_the_server_is_asynchronous(async_client: AsyncClient) -> None:
    answer = await async_client.get("/nowhere")
    assert answer.status_code == 404
    assert "default-src 'none'" in answer[HEADER]


def test_a_developers_error_page_is_left_readable(client: Client, settings: Settings) -> None:
    settings.DEBUG = True
    assert HEADER not in client.get("/nowhere").headers
