"""
The writes around an extraction: opening it with its reply, claiming it, putting it off, giving it up. What the model
found is applied in `applying.py`.

Exchanges of a conversation are read in their order: a claim always takes the earliest one waiting, and none while
another worker is at it.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from datetime import UTC, datetime, time, timedelta
from uuid import UUID

import structlog
from django.conf import settings
from django.db import transaction

from ella.llm.errors import ErrorCode, ModelError
from ella.memory.models import Extraction

log = structlog.get_logger(__name__)

# 5 s, 20 s, 80 s, 5 min, 21 min, then hourly: a provider that is away for an afternoon costs no memory.
_FIRST_PAUSE = timedelta(seconds=5)
_LONGEST_PAUSE = timedelta(hours=1)
_LONGEST_ASKED_FOR = timedelta(hours=6)


@dataclass(frozen=True, slots=True)
class ClaimedExtraction:
    """`attempt` is the fencing token with which the answer is applied."""

    turn_id: UUID
    attempt: int


def open_extraction(*, turn_id: UUID, conversation_id: UUID, position: int) -> None:
    """Leave this exchange to be read. Part of the transaction that stores its reply."""
    Extraction.objects.create(turn_id=turn_id, conversation_id=conversation_id, position=position)


@transaction.atomic
def claim_next(*, conversation_id: UUID, now: datetime) -> ClaimedExtraction | None:
    """
    The earliest exchange of this conversation that waits, if nobody is at it and its pause is over.

    One whose workers died or failed as often as may be is given up here, so that it is neither paid for again and again
    nor stands before what was said later.
    """
    first = _ready(conversation_id, now)
    if first is None:
        return None
    mine = Extraction.objects.filter(pk=first.pk, status=first.status, attempts=first.attempts)
    if first.attempts >= settings.REMEMBER_ATTEMPTS:
        mine.update(status=Extraction.Status.FAILED, error_code=first.error_code or "gave_up", finished_at=now)
        return claim_next(conversation_id=conversation_id, now=now)
    claimed = mine.update(
        status=Extraction.Status.CLAIMED,
        attempts=first.attempts + 1,
        lease_until=now + timedelta(seconds=settings.REMEMBER_LEASE_S),
    )
    return ClaimedExtraction(first.pk, first.attempts + 1) if claimed else None


def is_something_ready(conversation_id: UUID, now: datetime) -> bool:
    """Whether a claim would find something now."""
    return _ready(conversation_id, now) is not None


def _ready(conversation_id: UUID, now: datetime) -> Extraction | None:
    first = Extraction.objects.waiting().filter(conversation_id=conversation_id).order_by("position").first()
    return first if first and Extraction.objects.due(now).filter(pk=first.pk).exists() else None


def put_off(*, claim: ClaimedExtraction, error: ModelError, now: datetime) -> None:
    """
    The reading failed: tried again after a growing pause, or given up when it cannot get better or was tried often
    enough. A budget that is used up is no failure of the exchange: it waits for the next UTC day and counts no attempt.
    """
    mine = Extraction.objects.filter(pk=claim.turn_id, attempts=claim.attempt, status=Extraction.Status.CLAIMED)
    waiting = {"status": Extraction.Status.PENDING, "lease_until": None, "error_code": error.code}
    if error.code == ErrorCode.BUDGET_EXCEEDED:
        tomorrow = datetime.combine(now.date() + timedelta(days=1), time.min, tzinfo=UTC)
        mine.update(**waiting, attempts=claim.attempt - 1, not_before=tomorrow)
    elif error.permanent or claim.attempt >= settings.REMEMBER_ATTEMPTS:
        mine.update(status=Extraction.Status.FAILED, lease_until=None, error_code=error.code, finished_at=now)
    else:
        asked_for = min(timedelta(seconds=error.retry_after_s or 0), _LONGEST_ASKED_FOR)
        pause = min(_FIRST_PAUSE * 4 ** (claim.attempt - 1), _LONGEST_PAUSE)
        mine.update(**waiting, not_before=now + max(pause, asked_for))


@transaction.atomic
def read_again(*, actor: str, turn_ids: Collection[UUID], now: datetime) -> int:
    """
    Give exchanges whose reading was given up all their attempts again; the clock's next sweep finds them. Others of
    `turn_ids` stay as they are. Returns how many it were.
    """
    count = Extraction.objects.filter(pk__in=turn_ids, status=Extraction.Status.FAILED).update(
        status=Extraction.Status.PENDING, attempts=0, not_before=now, error_code="", finished_at=None
    )
    log.info("remember_read_again", actor=actor, exchanges=count)
    return count


def finish(*, claim: ClaimedExtraction, model_call_id: UUID, now: datetime) -> bool:
    """
    Mark it read. Part of the transaction that applies its items; False when another attempt has it, and then nothing
    may be applied.
    """
    finished = Extraction.objects.filter(
        pk=claim.turn_id, attempts=claim.attempt, status=Extraction.Status.CLAIMED
    ).update(
        status=Extraction.Status.DONE, lease_until=None, error_code="", model_call_id=model_call_id, finished_at=now
    )
    return finished == 1
