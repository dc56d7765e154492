"""
The life of a `ModelCall` row: begun before anything is sent, then finished, failed or lost, once. Budget and row
change in one transaction.

Short and synchronous; the network is never within (gateway.py). Each ending is a compare-and-set on `started`, so a
call that two processes believe to be theirs is still paid once.
"""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any, Final

from django.db import transaction
from django.utils import timezone

from ella.llm import budget
from ella.llm.errors import ModelError
from ella.llm.models import Layout, ModelCall, Purpose
from ella.llm.outcome import CallOutcome, Usage
from ella.llm.prices import cost_nano_usd, estimated_prompt_tokens, reservation_nano_usd

# Longer than any call may take (TURN_TIME_LIMIT_S, the jobs' hard limit): whoever began it is gone.
LOST_AFTER: Final = timedelta(minutes=10)
_SWEEP_AT_MOST: Final = 500


@transaction.atomic
def begin_call(
    *,
    purpose: Purpose,
    owner_id: uuid.UUID | None,
    turn_id: uuid.UUID | None,
    payload: dict[str, Any],
    section_map: Sequence[dict[str, Any]] = (),
    left_out: Sequence[dict[str, Any]] = (),
    layout: Layout | None = None,
) -> ModelCall:
    """Hold back the money and write the row. Raises BudgetExceeded, and then nothing is held and nothing written."""
    now = timezone.now()
    model = payload["model"]
    reserved = reservation_nano_usd(model, payload)
    budget.reserve(owner_id=owner_id, purpose=purpose, day=now.date(), nano_usd=reserved)
    return ModelCall.objects.create(
        owner_id=owner_id,
        turn_id=turn_id,
        purpose=purpose,
        model=model,
        layout=layout or "",
        payload=payload,
        section_map=list(section_map),
        left_out=list(left_out),
        reserved_nano_usd=reserved,
        budget_day=now.date(),
        started_at=now,
    )


def finish_call(*, call_id: uuid.UUID, outcome: CallOutcome) -> bool:
    """
    The answer, what it used and what it cost. Joins the caller's transaction. False when the call was over already:
    nothing changed.
    """
    return _end(call_id, ModelCall.Status.DONE, outcome)


def fail_call(*, call_id: uuid.UUID, error: ModelError, outcome: CallOutcome | None = None) -> bool:
    """
    Why there is no answer, with what had arrived (`outcome`, else the error's own): that part is paid for. False when
    the call was over already.
    """
    return _end(call_id, ModelCall.Status.FAILED, outcome or error.outcome or CallOutcome(), error)


def sweep_lost_calls(now: datetime) -> int:
    """
    Give up calls that began more than ten minutes before `now` and never ended. Returns how many.

    Nobody knows how far such a call came, and the provider may have charged for it. So it is booked as an estimate
    (`usage_estimated`): its prompt once, uncached, and no output. What was held back beyond that is released.
    """
    lost = ModelCall.objects.started_before(now - LOST_AFTER).order_by("started_at").values_list("pk", flat=True)
    return sum(_give_up(call_id) for call_id in list(lost[:_SWEEP_AT_MOST]))


def _give_up(call_id: uuid.UUID) -> bool:
    payload = ModelCall.objects.filter(pk=call_id).values_list("payload", flat=True).first()
    if payload is None:  # its owner was erased meanwhile
        return False
    asked = Usage(input_tokens=estimated_prompt_tokens(payload))
    return _end(call_id, ModelCall.Status.LOST, CallOutcome(usage=asked, usage_estimated=True))


@transaction.atomic
def _end(call_id: uuid.UUID, status: ModelCall.Status, outcome: CallOutcome, error: ModelError | None = None) -> bool:
    call = ModelCall.objects.without_texts().filter(pk=call_id).first()
    if call is None:  # its owner was erased while the model spoke
        return False
    usage = outcome.usage
    cost = cost_nano_usd(call.model, usage)
    changed = ModelCall.objects.filter(pk=call_id, status=ModelCall.Status.STARTED).update(
        status=status,
        answer=outcome.blocks or None,
        stop_reason=outcome.stop_reason,
        error_code=error.code if error else "",
        error_detail=error.detail[:500] if error else "",
        request_id=outcome.request_id,
        tries=outcome.tries,
        input_tokens=usage.input_tokens,
        cache_read_tokens=usage.cache_read_tokens,
        cache_write_5m_tokens=usage.cache_write_5m_tokens,
        cache_write_1h_tokens=usage.cache_write_1h_tokens,
        output_tokens=usage.output_tokens,
        usage_estimated=outcome.usage_estimated,
        cost_nano_usd=cost,
        first_token_ms=outcome.first_token_ms,
        duration_ms=outcome.duration_ms if outcome.tries else None,
        finished_at=timezone.now(),
    )
    if changed != 1:
        return False
    budget.settle(
        owner_id=call.owner_id,
        purpose=call.purpose,
        day=call.budget_day,
        reserved_nano_usd=call.reserved_nano_usd,
        spent_nano_usd=cost,
    )
    return True
