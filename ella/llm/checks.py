"""
System checks of the model's settings: what is wrong is named, with what to do, before the first person writes.

An error is a setting nothing can work with; a warning is one that works differently from what somebody probably
meant.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any
from urllib.parse import urlsplit

from django.apps import AppConfig
from django.conf import settings
from django.core.checks import CheckMessage, Error, Tags, Warning, register

from ella.llm.capabilities import Effort, capabilities
from ella.llm.purposes import Purpose, usd_to_nano


def check_purposes(app_configs: Sequence[AppConfig] | None, **kwargs: Any) -> list[CheckMessage]:
    found: list[CheckMessage] = []
    for purpose in Purpose.values:
        entry = settings.MODEL_PURPOSES.get(purpose)
        if entry is None:
            found.append(
                Error(
                    f"The purpose “{purpose}” has no settings.",
                    hint="Give it a model, max_tokens, effort and daily_budget_usd in MODEL_PURPOSES.",
                    id="ella.E201",
                )
            )
        else:
            found += _check_purpose(purpose, entry)
    found += _check_amount("BUDGET_PER_PERSON", settings.MODEL_DAILY_BUDGET_PER_PERSON_USD)
    return found


def _check_purpose(purpose: str, entry: dict[str, Any]) -> Iterator[CheckMessage]:
    name = purpose.upper()
    able = capabilities(entry["model"])
    if not able.known:
        yield Warning(
            f"MODEL_{name}={entry['model']} is not a model this house knows.",
            hint="It is asked in the plainest way and counted at the dearest list price. "
            "Check the spelling, or add it to ella/llm/capabilities.py.",
            id="ella.W202",
        )
    if entry.get("effort") and entry["effort"] not in set(Effort):
        yield Error(
            f"EFFORT_{name}={entry['effort']} is no effort.",
            hint=f"Use one of {', '.join(Effort)}, or leave it empty.",
            id="ella.E203",
        )
    if not 0 < entry["max_tokens"] <= able.max_output_tokens:
        yield Error(
            f"MAX_TOKENS_{name}={entry['max_tokens']} cannot be asked for.",
            hint=f"{entry['model']} writes at least 1 and at most {able.max_output_tokens:,} tokens.",
            id="ella.E204",
        )
    yield from _check_amount(f"BUDGET_{name}", entry["daily_budget_usd"])


def _check_amount(setting: str, value: str) -> Iterator[CheckMessage]:
    try:
        usd_to_nano(value)
    except ValueError as exc:
        yield Error(
            f"{setting} is not an amount of money: {exc}.",
            hint="Write US dollars a day, such as 2 or 0.50. 0 allows no call at all.",
            id="ella.E205",
        )


def check_timings(app_configs: Sequence[AppConfig] | None, **kwargs: Any) -> list[CheckMessage]:
    found: list[CheckMessage] = []
    for setting in ("MODEL_CONNECT_TIMEOUT_S", "MODEL_FIRST_BYTE_TIMEOUT_S", "TURN_TIME_LIMIT_S"):
        value = getattr(settings, setting)
        if not (math.isfinite(value) and value > 0):
            found.append(
                Error(f"{setting}={value} is no time to wait.", hint="Write seconds, more than zero.", id="ella.E206")
            )
    for setting in ("MODEL_RETRY_CAP_S", "MODEL_RETRIES"):
        value = getattr(settings, setting)
        if not (math.isfinite(value) and value >= 0):
            found.append(Error(f"{setting}={value} is below zero.", hint="0 switches retries off.", id="ella.E207"))
    return found


def check_provider(app_configs: Sequence[AppConfig] | None, **kwargs: Any) -> list[CheckMessage]:
    found: list[CheckMessage] = []
    url = settings.MODEL_BASE_URL
    if url and not _is_http_url(url):
        found.append(
            Error(
                f"MODEL_BASE_URL={url} is not an address.",
                hint="Write http:// or https:// and a host, or leave it empty for the provider's own address.",
                id="ella.E208",
            )
        )
    if settings.ANTHROPIC_API_KEY and url and url.rstrip("/") == settings.OFFLINE_MODEL_URL.rstrip("/"):
        found.append(
            Warning(
                "ANTHROPIC_API_KEY is set, yet MODEL_BASE_URL points at the stand-in.",
                hint="The stand-in will answer, and be sent the key. "
                "Unset MODEL_BASE_URL to talk with the model, or unset the key.",
                id="ella.W209",
            )
        )
    if settings.HTTPS:
        found += _no_model_connected()
    return found


def check_deployed_provider(app_configs: Sequence[AppConfig] | None, **kwargs: Any) -> list[CheckMessage]:
    """Only with `check --deploy`; with HTTPS the plain check has said it already."""
    return [] if settings.HTTPS else list(_no_model_connected())


def _no_model_connected() -> Iterator[CheckMessage]:
    if not settings.MODEL_CONNECTED:
        yield Warning(
            "This looks like a production, and no language model is connected: the stand-in answers.",
            hint="Set ANTHROPIC_API_KEY. Until then every page says that no language model is connected.",
            id="ella.W210",
        )


def _is_http_url(url: str) -> bool:
    try:
        parts = urlsplit(url)
        return parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        return False


def register_checks() -> None:
    register(check_purposes)
    register(check_timings)
    register(check_provider)
    register(Tags.security, deploy=True)(check_deployed_provider)
