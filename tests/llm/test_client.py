"""The SDK's clients: few, shared, and following the settings."""

import asyncio
import os

import pytest
from pytest_django.fixtures import Settings

from ella.llm.client import PROVIDER_URL, async_client, sync_client


async def here() -> object:
    return async_client()


def test_each_event_loop_has_one_client_of_its_own() -> None:
    async def twice() -> tuple[object, object]:
        return async_client(), async_client()

    first, again = asyncio.run(twice())
    assert first is again
    assert asyncio.run(here()) is not first


def test_the_clients_follow_the_settings(settings: Settings) -> None:
    before = sync_client()
    assert sync_client() is before
    settings.MODEL_FIRST_BYTE_TIMEOUT_S = 7.0
    settings.MODEL_CONNECT_TIMEOUT_S = 3.0
    after = sync_client()
    assert after is not before
    assert (after.timeout.read, after.timeout.connect) == (7.0, 3.0)
    assert after.max_retries == 0


def test_without_an_address_the_provider_itself_is_asked_whatever_the_environment_says(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings.MODEL_BASE_URL = ""
    monkeypatch.setenv("ANTHROPIC_BASE_URL", "http://127.0.0.1:1")
    assert str(sync_client().base_url).rstrip("/") == PROVIDER_URL


def test_a_forked_child_does_not_use_its_parents_connections() -> None:
    parents = sync_client()
    child = os.fork()
    if child == 0:
        os._exit(0 if sync_client() is not parents else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert sync_client() is parents
