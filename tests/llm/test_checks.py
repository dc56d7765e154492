"""A wrong setting is named, with what to do, before anybody writes."""

from typing import Any

import pytest
from django.core.checks import run_checks
from pytest_django.fixtures import Settings


def found(*, deployed: bool = False) -> set[str]:
    """The ids of this app's findings."""
    ids = {str(message.id) for message in run_checks(include_deployment_checks=deployed)}
    return {name for name in ids if name.removeprefix("ella.")[1:2] == "2"}


def set_purpose(settings: Settings, **changes: Any) -> None:
    now = settings.MODEL_PURPOSES
    settings.MODEL_PURPOSES = {**now, "memory_extract": {**now["memory_extract"], **changes}}


def test_the_settings_as_they_come_are_in_order() -> None:
    assert found() == set()


@pytest.mark.parametrize(
    ("changes", "identity"),
    [
        ({"model": "claude-haiku-55"}, "ella.W202"),
        ({"effort": "very"}, "ella.E203"),
        ({"max_tokens": 0}, "ella.E204"),
        ({"max_tokens": 128_001}, "ella.E204"),
        ({"daily_budget_usd": "ten"}, "ella.E205"),
        ({"daily_budget_usd": "-1"}, "ella.E205"),
        ({"daily_budget_usd": "NaN"}, "ella.E205"),
    ],
)
def test_a_purpose_that_cannot_work_is_named(settings: Settings, changes: dict[str, Any], identity: str) -> None:
    set_purpose(settings, **changes)
    assert found() == {identity}


@pytest.mark.parametrize(
    ("setting", "value", "identity"),
    [
        ("MODEL_DAILY_BUDGET_PER_PERSON_USD", "a lot", "ella.E205"),
        ("MODEL_CONNECT_TIMEOUT_S", 0.0, "ella.E206"),
        ("MODEL_FIRST_BYTE_TIMEOUT_S", -1.0, "ella.E206"),
        ("TURN_TIME_LIMIT_S", float("inf"), "ella.E206"),
        ("MODEL_RETRY_CAP_S", -0.1, "ella.E207"),
        ("MODEL_RETRIES", -1, "ella.E207"),
        ("MODEL_BASE_URL", "localhost:8765", "ella.E208"),
        ("MODEL_BASE_URL", "http://", "ella.E208"),
        ("MODEL_BASE_URL", "http://host:port", "ella.E208"),
    ],
)
def test_a_setting_that_cannot_work_is_named(settings: Settings, setting: str, value: Any, identity: str) -> None:
    setattr(settings, setting, value)
    assert found() == {identity}


def test_a_purpose_without_settings_is_named(settings: Settings) -> None:
    settings.MODEL_PURPOSES = {"live_reply": settings.MODEL_PURPOSES["live_reply"]}
    assert found() == {"ella.E201"}


def test_an_effort_may_be_left_empty(settings: Settings) -> None:
    set_purpose(settings, effort="")
    assert found() == set()


def test_a_key_that_would_be_sent_to_the_stand_in_is_pointed_out(settings: Settings) -> None:
    settings.ANTHROPIC_API_KEY = "sk-real"
    assert found() == {"ella.W209"}
    settings.MODEL_BASE_URL = ""
    settings.MODEL_CONNECTED = True
    assert found() == set()


def test_a_production_without_a_model_is_warned_once(settings: Settings) -> None:
    assert found(deployed=True) == {"ella.W210"}
    settings.HTTPS = True
    assert found() == {"ella.W210"}
    messages = run_checks(include_deployment_checks=True)
    assert [message.id for message in messages].count("ella.W210") == 1


def test_every_finding_says_what_to_do(settings: Settings) -> None:
    set_purpose(settings, model="x", effort="x", max_tokens=0, daily_budget_usd="x")
    settings.MODEL_BASE_URL = "x"
    settings.MODEL_RETRIES = -1
    assert all(message.hint for message in run_checks() if str(message.id).startswith("ella."))
