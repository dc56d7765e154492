"""
The writes around an extraction: opening it with its reply, claiming it, putting it off, giving it up. What the model
found is applied in `applying.py`.

Exchanges of a conversation are read in their order: a claim always takes the earliest one waiting, and none while
another worker is at it.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from uuid import UUID

from django.conf import settings
from django.db import transaction

from ella.memory.models import Extraction

_FIRST_PAUSE = timedelta(seconds=5)
_LONGEST_PAUSE = timedelta(minutes=10)


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
    """The earliest exchange of this conversation that waits, if nobody is at it and its pause is over."""
    first = Extraction.objects.waiting().filter(conversation_id=conversation_id).order_by("position").first()
    if first is None or not Extraction.objects.due(now).filter(pk=first.pk).exists():
        return None
    claimed = Extraction.objects.filter(pk=first.pk, status=first.status, attempts=first.attempts).update(
        status=Extraction.Status.CLAIMED,
        attempts=first.attempts + 1,
        lease_until=now + timedelta(seconds=settings.REMEMBER_LEASE_S),
    )
    return ClaimedExtraction(first.pk, first.attempts + 1) if claimed else None


@transaction.atomic
def put_off(*, claim: ClaimedExtraction, code: str, permanent: bool, now: datetime) -> None:
    """
    The reading failed: tried again after a growing pause, or given up when it cannot get better or was tried often
    enough.
    """
    given_up = permanent or claim.attempt >= settings.REMEMBER_ATTEMPTS
    pause = min(_FIRST_PAUSE * 2 ** (claim.attempt - 1), _LONGEST_PAUSE)
    Extraction.objects.filter(pk=claim.turn_id, attempts=claim.attempt, status=Extraction.Status.CLAIMED).update(
        status=Extraction.Status.FAILED if given_up else Extraction.Status.PENDING,
        not_before=now + pause,
        lease_until=None,
        error_code=code,
        finished_at=now if given_up else None,
    )


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
