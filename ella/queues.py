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

LOOKED_BACK = timedelta(hours=24)


@dataclass(frozen=True, slots=True)
class Pile:
    """`number` as it is shown; `oldest` where that means something; `url` is empty for who may not read there."""

    number: str
    is_empty: bool
    what: str
    oldest: datetime | None
    url: str


def piles(person: Person, now: datetime) -> list[Pile]:
    since = now - LOOKED_BACK
    day = now.date()
    spent = Spend.objects.filter(day=day, subject__startswith="purpose:").aggregate(sum=Sum("spent_nano_usd"))["sum"]
    refused = ExtractionItem.objects.filter(outcome=ExtractionItem.Outcome.REFUSED, extraction__created_at__gte=since)
    return [
        _counted(
            "turns not answered",
            Turn.objects.filter(status=Turn.Status.FAILED, created_at__gte=since),
            "created_at",
            _list(person, Turn, status__exact=Turn.Status.FAILED.value, created_at__gte=since.isoformat()),
        ),
        _counted(
            "boundary fires",
            BoundaryFire.objects.filter(created_at__gte=since),
            "created_at",
            _list(person, BoundaryFire, created_at__gte=since.isoformat()),
        ),
        _counted(
            "things not remembered",
            refused,
            "extraction__created_at",
            _list(person, Extraction, created_at__gte=since.isoformat()),
        ),
        Pile(
            usd_text(spent or 0),
            not spent,
            "spent on the model today (UTC)",
            None,
            _list(person, ModelCall, budget_day__exact=day.isoformat()),
        ),
    ]


def _counted(
    what: str, rows: QuerySet[Turn] | QuerySet[BoundaryFire] | QuerySet[ExtractionItem], when: str, url: str
) -> Pile:
    found = rows.order_by().aggregate(number=Count("pk"), oldest=Min(when))
    return Pile(str(found["number"]), not found["number"], what, found["oldest"], url)


def _list(person: Person, model: type[Turn | BoundaryFire | Extraction | ModelCall], **filters: str) -> str:
    options = model._meta
    if not person.has_perm(f"{options.app_label}.view_{options.model_name}"):
        return ""
    return f"{reverse(f'admin:{options.app_label}_{options.model_name}_changelist')}?{urlencode(filters)}"
