"""
The day's money of a person and of a purpose: held back before a call, settled after it. It must hold under any number
of calls at once.

Each step is one conditional UPDATE, so the database and not a check beforehand decides who gets the last cent. Rows
are always touched in the order person, then purpose: two calls can wait for each other's row but never both. Days are
UTC days.
"""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from datetime import date

from django.db import transaction
from django.db.models import F

from ella.llm.errors import BudgetExceeded
from ella.llm.models import Spend
from ella.llm.purposes import person_budget_nano_usd, purpose_config


@transaction.atomic
def reserve(*, owner_id: uuid.UUID | None, purpose: str, day: date, nano_usd: int) -> None:
    """
    Hold back `nano_usd` for both subjects, or for neither and raise BudgetExceeded. Without an owner only the purpose
    pays.
    """
    if owner_id is not None:
        _reserve_for(f"person:{owner_id}", owner_id, day, nano_usd, person_budget_nano_usd())
    _reserve_for(f"purpose:{purpose}", None, day, nano_usd, purpose_config(purpose).daily_budget_nano_usd)


@transaction.atomic
def settle(*, owner_id: uuid.UUID | None, purpose: str, day: date, reserved_nano_usd: int, spent_nano_usd: int) -> None:
    """
    Give back what was held and book what was spent (0 for a call that cost nothing). Once per reservation; the caller
    sees to that.
    """
    for subject in _subjects(owner_id, purpose):
        Spend.objects.filter(subject=subject, day=day).update(
            reserved_nano_usd=F("reserved_nano_usd") - reserved_nano_usd,
            spent_nano_usd=F("spent_nano_usd") + spent_nano_usd,
        )


def _subjects(owner_id: uuid.UUID | None, purpose: str) -> Iterator[str]:
    if owner_id is not None:
        yield f"person:{owner_id}"
    yield f"purpose:{purpose}"


def _reserve_for(subject: str, owner_id: uuid.UUID | None, day: date, nano_usd: int, limit: int) -> None:
    if _take(subject, day, nano_usd, limit):
        return
    # No row yet, or no money left: the first call of a day makes the row, whoever comes second finds it.
    Spend.objects.bulk_create([Spend(subject=subject, day=day, owner_id=owner_id)], ignore_conflicts=True)
    if not _take(subject, day, nano_usd, limit):
        raise BudgetExceeded(subject)


def _take(subject: str, day: date, nano_usd: int, limit: int) -> bool:
    room = Spend.objects.filter(subject=subject, day=day, spent_nano_usd__lte=limit - nano_usd - F("reserved_nano_usd"))
    return room.update(reserved_nano_usd=F("reserved_nano_usd") + nano_usd) == 1
