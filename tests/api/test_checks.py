"""A wrong setting is named by a system check with a hint, from the environment on, and never crashes the start."""

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from django.core.checks import run_checks
from pytest_django.fixtures import Settings

PROJECT = Path(__file__).parents[2]


def found(*, deploy: bool = False) -> dict[str, Any]:
    return {message.id: message for message in run_checks(include_deployment_checks=deploy)}


def test_the_embedded_default_has_nothing_wrong(db: None) -> None:
    assert found() == {}


@pytest.mark.parametrize(
    ("setting", "value", "check"),
    [
        ("REDIS_URL", "localhost:6379", "ella.E006"),
        ("REDIS_URL", "redis://", "ella.E006"),
        ("REDIS_URL", "redis://host:port/0", "ella.E006"),
        ("REDIS_URL", "http://host/0", "ella.E006"),
        ("DATABASE_POOL_SIZE", 0, "ella.E007"),
        ("DATABASE_THREADS", -1, "ella.E007"),
        ("TURN_LEASE_S", 0.0, "ella.E007"),
        ("REMEMBER_ATTEMPTS", -5, "ella.E007"),
        ("CONTEXT_BUDGET_TOKENS", 0, "ella.E007"),
        ("UNREADABLE_SETTINGS", {"TOKEN_DAYS": "int"}, "ella.E009"),
    ],
)
def test_a_value_nothing_can_work_with_is_named(settings: Settings, setting: str, value: Any, check: str) -> None:
    setattr(settings, setting, value)

    message = found()[check]

    assert message.hint


@pytest.mark.parametrize("url", ["redis://localhost:6379/0", "rediss://:secret@host/1", "unix:///run/redis.sock"])
def test_every_way_to_write_a_redis_is_accepted(settings: Settings, url: str) -> None:
    settings.REDIS_URL = url

    assert "ella.E006" not in found()


@pytest.mark.parametrize("rate", ["", "30", "30/", "/min", "thirty/min", "0/min", "-1/min", "30/fortnight", "3.5/min"])
def test_a_throttle_that_is_no_rate_is_named(settings: Settings, rate: str) -> None:
    rates = {**settings.REST_FRAMEWORK["DEFAULT_THROTTLE_RATES"], "login": rate}
    settings.REST_FRAMEWORK = {**settings.REST_FRAMEWORK, "DEFAULT_THROTTLE_RATES": rates}

    assert "THROTTLE_LOGIN" in found()["ella.E008"].msg


def test_a_production_is_asked_for_its_own_secret_and_hosts(settings: Settings) -> None:
    settings.SECRET_KEY_FROM_ENV = ""
    settings.ALLOWED_HOSTS = ["*"]
    settings.OPEN_REGISTRATION = True

    assert {"ella.E001", "ella.E002", "ella.W003"} <= found(deploy=True).keys()
    assert not {"ella.E001", "ella.E002", "ella.W003"} & found().keys()


def test_https_asks_for_a_secret_of_ones_own_at_every_start(settings: Settings) -> None:
    settings.HTTPS = True
    settings.SECRET_KEY_FROM_ENV = ""
    assert "ella.E001" in found()

    settings.SECRET_KEY_FROM_ENV = "x" * 60
    assert "ella.E001" not in found()


def test_wrong_values_in_the_environment_are_all_named_at_once_and_no_password_with_them(tmp_path: Path) -> None:
    wrong = {
        "DATABASE_URL": "mysql://ella:sesame@db/ella",
        "REDIS_URL": "sesame@redis",
        "DATABASE_POOL_SIZE": "many",
        "THROTTLE_LOGIN": "often",
        "TOKEN_DAYS": "-1",
        "VAR_DIR": str(tmp_path),
    }

    done = subprocess.run(
        [sys.executable, "manage.py", "check"],
        cwd=PROJECT,
        env={**os.environ, **wrong},
        capture_output=True,
        text=True,
        timeout=60,
    )

    assert done.returncode == 1
    for check in ("ella.E005", "ella.E006", "ella.E007", "ella.E008", "ella.E009"):
        assert check in done.stderr
    assert "Traceback" not in done.stderr
    assert "sesame" not in done.stderr
