"""
System checks of the house's own settings: what is wrong is named, with what to do, before the first person writes.

Ids 001 to 099. An error is a setting nothing can work with; a warning is one that works differently from what somebody
probably meant. What belongs to one wing is checked there (ella/llm/checks.py: 201 and on).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any
from urllib.parse import urlsplit

from django.apps import AppConfig
from django.conf import settings
from django.core.checks import CheckMessage, Error, Tags, Warning, register

_ENGINES = ("django.db.backends.sqlite3", "django.db.backends.postgresql")
_PERIODS = ("s", "sec", "m", "min", "h", "hour", "d", "day")
_AT_LEAST = {
    "HSTS_SECONDS": ("SECURE_HSTS_SECONDS", 0),
    "DATABASE_POOL_SIZE": ("DATABASE_POOL_SIZE", 1),
    "DATABASE_THREADS": ("DATABASE_THREADS", 0),
    "TURN_LEASE_S": ("TURN_LEASE_S", 1),
    "TURN_WAIT_LIMIT_S": ("TURN_WAIT_LIMIT_S", 1),
    "REMEMBER_LEASE_S": ("REMEMBER_LEASE_S", 1),
    "REMEMBER_ATTEMPTS": ("REMEMBER_ATTEMPTS", 1),
    "CONTEXT_BUDGET_TOKENS": ("CONTEXT_BUDGET_TOKENS", 1),
    "MESSAGE_MAX_CHARS": ("MESSAGE_MAX_CHARS", 1),
}


def check_secrets(app_configs: Sequence[AppConfig] | None, **kwargs: Any) -> list[CheckMessage]:
    return list(_own_secret_key()) if settings.HTTPS else []


def check_deployed(app_configs: Sequence[AppConfig] | None, **kwargs: Any) -> list[CheckMessage]:
    """Only with `check --deploy`."""
    found = [] if settings.HTTPS else list(_own_secret_key())
    if "*" in settings.ALLOWED_HOSTS:
        found.append(
            Error(
                "ALLOWED_HOSTS lets any host name in.",
                hint="Name the hosts this house is reached by: ALLOWED_HOSTS=ella.example.org.",
                id="ella.E002",
            )
        )
    if settings.OPEN_REGISTRATION:
        found.append(
            Warning(
                "OPEN_REGISTRATION lets anybody make an account, and every account spends.",
                hint="Unset it, or keep it and watch BUDGET_PER_PERSON and THROTTLE_REGISTER.",
                id="ella.W003",
            )
        )
    if not settings.REDIS_URL:
        found.append(
            Warning(
                "Without REDIS_URL each process counts throttles for itself, and jobs stay on one machine.",
                hint="Set REDIS_URL as soon as there is more than one process.",
                id="ella.W004",
            )
        )
    return found


def check_places(app_configs: Sequence[AppConfig] | None, **kwargs: Any) -> list[CheckMessage]:
    found: list[CheckMessage] = []
    if settings.DATABASES["default"]["ENGINE"] not in _ENGINES:
        # The scheme alone: the rest of an address may hold a password.
        scheme = settings.DATABASE_URL.partition(":")[0]
        found.append(
            Error(
                f"DATABASE_URL begins with “{scheme}”, or cannot be read: this house does not run on it.",
                hint="Use postgres://user:password@host:5432/name, or leave it empty for SQLite.",
                id="ella.E005",
            )
        )
    if settings.REDIS_URL and not _is_redis_url(settings.REDIS_URL):
        found.append(
            Error(
                "REDIS_URL is not the address of a Redis.",
                hint="Use redis://host:6379/0 (rediss:// for TLS), or leave it empty to run without one.",
                id="ella.E006",
            )
        )
    return found


def check_numbers(app_configs: Sequence[AppConfig] | None, **kwargs: Any) -> list[CheckMessage]:
    found: list[CheckMessage] = []
    for name, (setting, least) in _AT_LEAST.items():
        value = getattr(settings, setting)
        if not value >= least:
            found.append(Error(f"{name}={value} is too small.", hint=f"At least {least}.", id="ella.E007"))
    days = settings.REST_KNOX["TOKEN_TTL"].days
    if days < 1:
        found.append(
            Error(f"TOKEN_DAYS={days}: a login would end before it began.", hint="At least 1.", id="ella.E007")
        )
    proxies = settings.REST_FRAMEWORK["NUM_PROXIES"]
    if proxies < 0:
        found.append(Error(f"NUM_PROXIES={proxies} is below zero.", hint="0 when there is none.", id="ella.E007"))
    return found


def check_readable(app_configs: Sequence[AppConfig] | None, **kwargs: Any) -> list[CheckMessage]:
    return [
        Error(f"{name} cannot be read as {kind}.", hint="Correct it, or unset it for its default.", id="ella.E009")
        for name, kind in settings.UNREADABLE_SETTINGS.items()
    ]


def check_throttles(app_configs: Sequence[AppConfig] | None, **kwargs: Any) -> list[CheckMessage]:
    rates = settings.REST_FRAMEWORK["DEFAULT_THROTTLE_RATES"]
    return [
        Error(
            f"THROTTLE_{scope.upper()}={rate} is not a rate.",
            hint=f"Write a number and a period ({', '.join(_PERIODS)}), as in 30/min.",
            id="ella.E008",
        )
        for scope, rate in rates.items()
        if not _is_rate(rate)
    ]


def _own_secret_key() -> Iterator[CheckMessage]:
    if not settings.SECRET_KEY_FROM_ENV:
        yield Error(
            "SECRET_KEY is not set: each machine would make its own, and a login at one is none at the next.",
            hint="Set SECRET_KEY to at least 50 random characters, the same on every machine, and keep it secret.",
            id="ella.E001",
        )


def _is_redis_url(url: str) -> bool:
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError:
        return False
    if parts.scheme == "unix":
        return bool(parts.path)
    return parts.scheme in ("redis", "rediss") and bool(parts.hostname) and port != 0


def _is_rate(rate: str) -> bool:
    count, slash, period = rate.partition("/")
    return bool(slash) and count.isascii() and count.isdigit() and int(count) > 0 and period in _PERIODS


def register_checks() -> None:
    register(check_secrets)
    register(check_places)
    register(check_numbers)
    register(check_readable)
    register(check_throttles)
    register(Tags.security, deploy=True)(check_deployed)
