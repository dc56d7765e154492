"""
How a turn ends, each way in one transaction: the reply, the model call with its cost, a boundary fire and the
extraction still to do are all stored, or none of them is.
"""

from __future__ import annotations

from uuid import UUID

from django.db import transaction

from boundary.classify import Direction, Verdict
from boundary.replying import Reply, choose_reply
from boundary.services import record_fire
from ella.clock import utc_now
from ella.conversation.at_hand import Spoken, TurnAtHand, take_at_hand
from ella.conversation.models import Turn
from ella.conversation.services import mark_answered, mark_failed
from ella.conversation.texts import text
from ella.llm.calls import fail_call, finish_call
from ella.llm.errors import ModelError
from ella.memory.services import open_extraction

ACTOR = "turn"


def table_reply(turn: TurnAtHand, verdict: Verdict, direction: Direction) -> Reply:
    """
    Words a person wrote, chosen by the turn's id: the same turn always gets the same ones, and never those of the
    time before.
    """
    return choose_reply(
        category=verdict.category,
        direction=direction,
        key=str(turn.turn_id),
        country=turn.country,
        language=turn.language,
        previous_text_id=turn.last_table_text,
        situation=verdict.situation,
    )


@transaction.atomic
def settle_from_table(turn: TurnAtHand, inbound: Verdict) -> str:
    """
    A boundary fired on what the person wrote: answered from the table, recorded, no model asked, nothing to remember.
    """
    reply = table_reply(turn, inbound, Direction.INBOUND)
    _answered(turn, reply.text, Turn.Outcome.BOUNDARY_INBOUND)
    _record(turn, Direction.INBOUND, inbound, turn.text, reply)
    return reply.text


@transaction.atomic
def settle_over_budget(turn: TurnAtHand, inbound: Verdict) -> str:
    """
    The day's budget is used up: a polite and honest reply, not an error, and the message is read when there is money
    again. Whoever seems to carry something heavy gets words a person wrote for that, budget or not.
    """
    reply = table_reply(turn, inbound, Direction.INBOUND) if inbound.distress else None
    answer = reply.text if reply else text("budget.reply")
    _answered(turn, answer, Turn.Outcome.BUDGET)
    _record_soft(turn, inbound, reply)
    open_extraction(turn_id=turn.turn_id, conversation_id=turn.conversation_id, position=turn.position)
    return answer


@transaction.atomic
def settle_turn(turn: TurnAtHand, inbound: Verdict, spoken: Spoken) -> None:
    """
    Store the reply, the model call and its cost, and mark the turn done. An exchange the model answered is left to
    `remember`; a stopped one is not.

    Raises TurnTakenOver when another runner has the turn, and then nothing of this is stored.
    """
    if spoken.call_id is None or spoken.outcome is None:
        raise ValueError("A turn is settled from a finished model call.")
    _record_soft(turn, inbound, None)
    if spoken.drift is not None and spoken.replacement is not None:
        _answered(turn, spoken.replacement.text, Turn.Outcome.BOUNDARY_OUTBOUND)
        _record(turn, Direction.OUTBOUND, spoken.drift, spoken.written, spoken.replacement)
    else:
        _answered(turn, spoken.text.strip(), Turn.Outcome.MODEL, truncated=spoken.outcome.truncated)
        open_extraction(turn_id=turn.turn_id, conversation_id=turn.conversation_id, position=turn.position)
    finish_call(call_id=spoken.call_id, outcome=spoken.outcome)


@transaction.atomic
def fail_turn(turn_id: UUID, attempt: int, spoken: Spoken, error: ModelError) -> None:
    """
    The turn was not answered this time. Its message is kept; the call that failed is kept too, with what it cost; and a
    weak signal in the message is there for review although nothing was answered to it.
    """
    if mark_failed(turn_id=turn_id, attempt=attempt, code=error.code, detail=error.detail) and spoken.inbound:
        _record_soft(take_at_hand(turn_id, attempt), spoken.inbound, None)
    if spoken.call_id is not None:
        fail_call(call_id=spoken.call_id, error=error, outcome=spoken.outcome)


def pay_for_nothing(spoken: Spoken) -> None:
    """Another runner settled the turn meanwhile: what this one asked is not shown, and is owed all the same."""
    if spoken.call_id is not None and spoken.outcome is not None:
        finish_call(call_id=spoken.call_id, outcome=spoken.outcome)


def _answered(turn: TurnAtHand, reply: str, outcome: Turn.Outcome, *, truncated: bool = False) -> None:
    mark_answered(
        turn_id=turn.turn_id, attempt=turn.attempt, reply=reply, outcome=outcome, truncated=truncated, now=utc_now()
    )


def _record_soft(turn: TurnAtHand, inbound: Verdict, reply: Reply | None) -> None:
    if inbound.soft:
        _record(turn, Direction.INBOUND, inbound, turn.text, reply)


def _record(turn: TurnAtHand, direction: Direction, verdict: Verdict, words: str, reply: Reply | None) -> None:
    record_fire(
        actor=ACTOR,
        owner_id=turn.owner_id,
        turn_id=turn.turn_id,
        direction=direction,
        verdict=verdict,
        text=words,
        reply=reply,
    )
