"""
What a moderator sees first: how much has come to lie since yesterday, how old it is, and where to read it.

Four queries, each over an index of what is recent. It only counts; nothing is claimed or decided here.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from urllib.parse import urlencode

from django.db.models import Count, Min, QuerySet, Sum
from django.urls import reverse

from boundary.models import BoundaryFire
from ella.conversation.models import Turn
from ella.llm.models import ModelCall, Spend
from ella.llm.prices import usd_text
from ella.memory.models import Extraction, ExtractionItem
from ella.people.models import Person
from ledger.days import ago

LOOKED_BACK = timedelta(hours=24)


@dataclass(frozen=True, slots=True)
class Pile:
    """`number` as it is shown; `oldest` where that means something; `url` is empty for who may not read there."""

    number: str
    what: str
    is_calm: bool
    url: str
    oldest: datetime | None = None
    age: str = ""


def piles(person: Person, now: datetime) -> list[Pile]:
    since = now - LOOKED_BACK
    recently = {"created_at__gte": since.isoformat()}
    unanswered = Turn.objects.filter(status=Turn.Status.FAILED, created_at__gte=since)
    fires = BoundaryFire.objects.filter(created_at__gte=since)
    refused = ExtractionItem.objects.filter(outcome=ExtractionItem.Outcome.REFUSED, extraction__created_at__gte=since)
    return [
        _counted(
            unanswered,
            "turns not answered",
            _list(person, Turn, status__exact=Turn.Status.FAILED.value, **recently),
            now,
        ),
        _counted(fires, "boundary fires", _list(person, BoundaryFire, **recently), now),
        _counted(
            refused,
            "things not remembered",
            _list(person, Extraction, refused="yes", **recently),
            now,
            "extraction__created_at",
        ),
        _spent_today(person, now),
    ]


def _counted(
    rows: QuerySet[Turn] | QuerySet[BoundaryFire] | QuerySet[ExtractionItem],
    what: str,
    url: str,
    now: datetime,
    when: str = "created_at",
) -> Pile:
    found = rows.order_by().aggregate(number=Count("pk"), oldest=Min(when))
    oldest = found["oldest"]
    return Pile(str(found["number"]), what, not found["number"], url, oldest, ago(oldest, now) if oldest else "")


def _spent_today(person: Person, now: datetime) -> Pile:
    day = now.date()
    spent = Spend.objects.filter(day=day, subject__startswith="purpose:").aggregate(sum=Sum("spent_nano_usd"))["sum"]
    url = _list(person, ModelCall, budget_day__exact=day.isoformat())
    return Pile(usd_text(spent or 0), "spent on the model today (UTC)", True, url)


def _list(person: Person, model: type[Turn | BoundaryFire | Extraction | ModelCall], **filters: str) -> str:
    options = model._meta
    if not person.has_perm(f"{options.app_label}.view_{options.model_name}"):
        return ""
    return f"{reverse(f'admin:{options.app_label}_{options.model_name}_changelist')}?{urlencode(filters)}"
