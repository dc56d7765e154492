"""
The server's clock, and the one way to move it: a demo or an evaluation that plays a week in a minute writes an offset
into a file, and every process of its house reads it.

What moves is `django.utils.timezone.now`: every stored moment, every rule about days, and leases and pauses too, since
they are stored moments. Timeouts of the network and the beat of the clock run on real time. Without
`TRAVELLING_CLOCK_FILE` nothing of this is active, and a deployment that sets it is warned.
"""

from __future__ import annotations

import datetime as real
from datetime import timedelta, tzinfo
from pathlib import Path
from typing import Self

from django.conf import settings
from django.core.checks import CheckMessage, Tags, Warning, register
from django.utils import timezone


def utc_now() -> real.datetime:
    """Now: aware, in UTC."""
    return timezone.now()


def move_clock(path: Path, offset: timedelta) -> None:
    """Set how far ahead of real time the house of this TRAVELLING_CLOCK_FILE stands; no reader sees half a number."""
    fresh = path.with_suffix(".new")
    fresh.write_text(str(offset.total_seconds()))
    fresh.replace(path)


class _TravellingDatetime(real.datetime):
    """Stands in for `datetime` inside `django.utils.timezone`, where `now` looks it up at every call."""

    @classmethod
    def now(cls, tz: tzinfo | None = None) -> Self:
        return super().now(tz) + timedelta(seconds=_offset_s())


def _offset_s() -> float:
    try:
        return float(Path(settings.TRAVELLING_CLOCK_FILE).read_text())
    except (FileNotFoundError, ValueError):
        return 0.0


def start_travelling_clock() -> None:
    """Called once at start; does nothing where no travelling clock is configured."""
    if settings.TRAVELLING_CLOCK_FILE:
        timezone.datetime = _TravellingDatetime  # type: ignore[attr-defined]


@register(Tags.security, deploy=True)
def clock_does_not_travel(app_configs: object, **kwargs: object) -> list[CheckMessage]:
    if not settings.TRAVELLING_CLOCK_FILE:
        return []
    return [
        Warning(
            "TRAVELLING_CLOCK_FILE is set: this house does not live in real time.",
            hint="It is meant for the demo and for evaluations. Unset it.",
            id="ella.W050",
        )
    ]
