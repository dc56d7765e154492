"""
Why a model is asked decides which one, how long, how hard it tries and what a day of it may cost.

Settings are read when asked for and never kept, so that a test may override them. Nothing here touches a table: the
app's own checks read it before models load.
"""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal, InvalidOperation

from django.conf import settings
from django.core.exceptions import ImproperlyConfigured
from django.db import models

from ella.llm.capabilities import Effort
from ella.llm.prices import NANO_PER_USD


class Purpose(models.TextChoices):
    """`settings.MODEL_PURPOSES` maps each to a model, a length, an effort and a daily budget."""

    LIVE_REPLY = "live_reply", "live reply"
    MEMORY_EXTRACT = "memory_extract", "memory extract"


@dataclass(frozen=True, slots=True)
class PurposeConfig:
    purpose: str
    model: str
    max_tokens: int
    effort: Effort | None
    daily_budget_nano_usd: int


def purpose_config(purpose: str) -> PurposeConfig:
    """
    The settings of one purpose. Raises ImproperlyConfigured for a purpose without settings or with unusable ones; the
    system checks name each with a hint before it comes to that.
    """
    try:
        entry = settings.MODEL_PURPOSES[purpose]
        return PurposeConfig(
            purpose=purpose,
            model=entry["model"],
            max_tokens=entry["max_tokens"],
            effort=Effort(entry["effort"]) if entry.get("effort") else None,
            daily_budget_nano_usd=usd_to_nano(entry["daily_budget_usd"]),
        )
    except (KeyError, ValueError) as exc:
        raise ImproperlyConfigured(f"MODEL_PURPOSES['{purpose}'] cannot be used: {exc}") from exc


def person_budget_nano_usd() -> int:
    """What one person may cost in one UTC day, all purposes together."""
    try:
        return usd_to_nano(settings.MODEL_DAILY_BUDGET_PER_PERSON_USD)
    except ValueError as exc:
        raise ImproperlyConfigured(f"BUDGET_PER_PERSON cannot be used: {exc}") from exc


def usd_to_nano(amount: str) -> int:
    """`"2.50"` → 2_500_000_000. Raises ValueError for anything that is not a plain amount of zero or more."""
    try:
        usd = Decimal(str(amount))
    except InvalidOperation:
        raise ValueError(f"“{amount}” is not a number") from None
    if not usd.is_finite() or usd < 0:
        raise ValueError(f"“{amount}” is not an amount of money")
    return int(usd * NANO_PER_USD)
