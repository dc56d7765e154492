"""
`remember`: a cheap model reads each exchange once and proposes what it changed; the server applies it item by item.

One exchange is read at a time and in order. A call that fails is a job that failed: it is tried again after a pause,
and until then the compiler keeps showing the exchange itself. No transaction and no connection is held while the
model reads.
"""

from __future__ import annotations

import json
import time
import zoneinfo
from functools import cache
from pathlib import Path
from typing import Any
from uuid import UUID

import structlog
from django.db import transaction

from ella.clock import utc_now
from ella.context.compiler import stamp
from ella.conversation.models import Message
from ella.llm.calls import begin_call, fail_call, finish_call
from ella.llm.errors import BudgetExceeded, ErrorCode, ModelError
from ella.llm.gateway import ask, build_request
from ella.llm.models import Purpose
from ella.llm.outcome import CallOutcome
from ella.llm.structured import ParsedItem, parse_items
from ella.memory.applying import apply_items
from ella.memory.evidence import Exchange
from ella.memory.models import SceneItem
from ella.memory.schemas import ExchangeReading
from ella.memory.services import ClaimedExtraction, claim_next, finish, put_off
from ella.threads import release_connection
from ledger.days import day_label
from ledger.models import Fact, Promise

log = structlog.get_logger(__name__)

_PROMPT = Path(__file__).with_name("prompts") / "extract.md"
KNOWN_SHOWN = 40
# Then the job ends and nudges for another: far below a job's time limit, however long a backlog is.
EXCHANGES_A_JOB = 20
SECONDS_A_JOB = 120.0


def read_waiting_exchanges(conversation_id: UUID, *, at_most: int = EXCHANGES_A_JOB) -> int:
    """
    Read what waits in one conversation, earliest first, until nothing is ready or the job has done its share. Returns
    how many were read.
    """
    read = 0
    stop_at = time.monotonic() + SECONDS_A_JOB
    while read < at_most and time.monotonic() < stop_at:
        claim = claim_next(conversation_id=conversation_id, now=utc_now())
        if claim is None or not read_exchange(claim):
            break
        read += 1
    return read


def read_exchange(claim: ClaimedExtraction) -> bool:
    """
    Read one claimed exchange and apply what it changed. False when it has to wait or was given up; nothing of it is
    applied then.
    """
    exchange = load_exchange(claim.turn_id)
    shown = json.dumps(document(exchange), ensure_ascii=False)
    payload = build_request(
        Purpose.MEMORY_EXTRACT,
        system=[{"type": "text", "text": prompt_text(), "cache_control": {"type": "ephemeral"}}],
        messages=[{"role": "user", "content": [{"type": "text", "text": shown}]}],
        output_schema=ExchangeReading,
    )
    try:
        call = begin_call(
            purpose=Purpose.MEMORY_EXTRACT, owner_id=exchange.owner_id, turn_id=exchange.turn_id, payload=payload
        )
    except BudgetExceeded as spent:
        put_off(claim=claim, error=spent, now=utc_now())
        return False
    release_connection()
    outcome: CallOutcome | None = None
    try:
        outcome = ask(payload)
        return absorb(
            claim, exchange, parse_items(outcome.text, ExchangeReading, cut=outcome.truncated), call.pk, outcome
        )
    except Exception as fault:
        # Also one of ours: the answer is paid for, and the exchange is tried again before it is given up.
        error = fault if isinstance(fault, ModelError) else ModelError(ErrorCode.APPLY_FAILED, type(fault).__name__)
        log.warning("remember_failed", turn=str(claim.turn_id), code=error.code, attempt=claim.attempt, exc_info=True)
        with transaction.atomic():
            put_off(claim=claim, error=error, now=utc_now())
            fail_call(call_id=call.pk, error=error, outcome=outcome)
        return False


@transaction.atomic
def absorb(
    claim: ClaimedExtraction, exchange: Exchange, items: list[ParsedItem], call_id: UUID, outcome: CallOutcome
) -> bool:
    """Apply an answer exactly once: the mark that it was read and everything it changed are one transaction."""
    mine = finish(claim=claim, model_call_id=call_id, now=utc_now())
    if mine:
        apply_items(exchange, items)
    # Last, since it takes the row in which the whole house counts what remembering costs. Owed even if another attempt
    # was faster.
    finish_call(call_id=call_id, outcome=outcome)
    return mine


def load_exchange(turn_id: UUID) -> Exchange:
    messages = Message.objects.filter(turn_id=turn_id).select_related("conversation__owner")
    said = {message.role: message for message in messages}
    asked, answered = said[Message.Role.PERSON], said[Message.Role.ELLA]
    person = asked.conversation.owner
    return Exchange(
        turn_id=turn_id,
        conversation_id=asked.conversation_id,
        owner_id=person.pk,
        person_name=person.called,
        person_message_id=asked.pk,
        person_text=asked.text,
        ella_message_id=answered.pk,
        ella_text=answered.text,
        at=asked.created_at.astimezone(zoneinfo.ZoneInfo(person.timezone)),
    )


def document(exchange: Exchange) -> dict[str, Any]:
    """
    What the reader is shown: the exchange, and what of it could only be understood from before. JSON is its fence.
    """
    at = stamp(exchange.at)
    scene = SceneItem.objects.for_owner(exchange.owner_id).standing(exchange.conversation_id)
    promises = Promise.objects.for_owner(exchange.owner_id).open()[:KNOWN_SHOWN]
    facts = Fact.objects.for_owner(exchange.owner_id).current().by_rank()[:KNOWN_SHOWN]
    return {
        "exchange": [
            {"who": "person", "name": exchange.person_name, "at": at, "text": exchange.person_text},
            {"who": "ella", "name": "Ella", "at": at, "text": exchange.ella_text},
        ],
        "scene": [{"thing": item.thing, "state": item.state} for item in scene],
        "open_promises": [
            {
                "who": promise.from_who,
                "to": promise.to_who,
                "what": promise.what,
                "due": day_label(promise.due_day) if promise.due_day else "",
            }
            for promise in promises
        ],
        "known": [f"{fact.subject} · {fact.predicate} = {fact.object}" for fact in facts],
    }


@cache
def prompt_text() -> str:
    return _PROMPT.read_text(encoding="utf-8").strip()
