"""System checks of this app: a helpline nobody has looked at for a year is named before a person needs it."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

from django.apps import AppConfig
from django.core.checks import CheckMessage, Warning, register

from boundary.helplines import HELPLINES

STALE_MONTHS = 12


def check_helplines(app_configs: Sequence[AppConfig] | None, **kwargs: Any) -> list[CheckMessage]:
    today = datetime.now(UTC).date()
    return [
        Warning(
            f"The helpline “{row.name}” ({row.country or 'international'}) was last verified on {row.verified_on}.",
            hint=f"Compare boundary/helplines.yaml with {row.source} and set verified_on to today.",
            id="boundary.W001",
        )
        for row in HELPLINES
        if row.is_older_than(STALE_MONTHS, today)
    ]


def register_checks() -> None:
    register(check_helplines)
