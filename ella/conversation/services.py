"""
Every write to a conversation: opening one, opening a turn, claiming, keeping, settling and failing it.

A turn changes hands only by compare-and-set, and only its newest attempt may settle it: a process that was thought
dead and comes back finds that its words no longer count. Nothing here waits for a model.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from uuid import UUID

from django.conf import settings
from django.db import transaction
from django.db.models import F, Q

from ella.conversation.disclosure import disclose_if_due
from ella.conversation.models import Conversation, Message, Turn


class ConversationNotFound(Exception):
    """There is no such conversation, or it is somebody else's: the two are told apart to nobody."""


class ClientIdReused(Exception):
    """This client_id already stands for another text."""


class TurnTakenOver(Exception):
    """Another runner has this turn now; what this one has to say no longer counts."""


class Claim(StrEnum):
    MINE = "mine"
    WAIT = "wait"
    DONE = "done"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class Claimed:
    """The answer to a claim. `attempt` is the fencing token when it is `MINE`."""

    claim: Claim
    attempt: int = 0


@dataclass(frozen=True, slots=True)
class OpenedTurn:
    """`claimed` at once when nothing else of its conversation was open; otherwise its runner waits for its place."""

    turn_id: UUID
    claimed: Claimed | None = None


def open_conversation(*, actor: str, owner_id: UUID, title: str = "", client_id: str = "") -> Conversation:
    """A new conversation, or the one this `client_id` made before."""
    del actor  # a conversation is opened by its owner or at registration, which has its own audit row
    if not client_id:
        return Conversation.objects.create(owner_id=owner_id, title=title)
    conversation, _ = Conversation.objects.get_or_create(
        owner_id=owner_id, client_id=client_id, defaults={"title": title}
    )
    return conversation


@transaction.atomic
def open_turn(*, owner_id: UUID, conversation_id: UUID, text: str, client_id: str, now: datetime) -> OpenedTurn:
    """
    Store the person's message and open the turn that will answer it; the same `client_id` again finds the same turn,
    and a failed one is queued once more.

    Raises ConversationNotFound, ClientIdReused.
    """
    # The row lock puts simultaneous messages of one conversation in an order (SQLite: the IMMEDIATE transaction does).
    conversation = Conversation.objects.select_for_update().for_owner(owner_id).filter(pk=conversation_id).first()
    if conversation is None:
        raise ConversationNotFound
    lease_until = now + timedelta(seconds=settings.TURN_LEASE_S)
    known = Turn.objects.filter(conversation=conversation, client_id=client_id).first()
    if known is not None:
        if known.messages.get(role=Message.Role.PERSON).text != text:
            raise ClientIdReused
        Turn.objects.filter(pk=known.pk, status=Turn.Status.FAILED).update(
            status=Turn.Status.QUEUED, attempt=F("attempt") + 1, lease_until=lease_until, error_code="", error_detail=""
        )
        return OpenedTurn(known.pk)
    first = not Turn.objects.unfinished().filter(conversation=conversation).exists()
    turn = Turn.objects.create(
        conversation=conversation,
        status=Turn.Status.RUNNING if first else Turn.Status.QUEUED,
        position=conversation.next_position,
        client_id=client_id,
        lease_until=lease_until,
        created_at=now,
    )
    # Before the message is written: the pause since the previous message decides whether a disclosure is due.
    disclose_if_due(owner_id=owner_id, turn=turn, now=now)
    Message.objects.create(
        conversation=conversation,
        turn=turn,
        role=Message.Role.PERSON,
        position=turn.position,
        text=text,
        created_at=now,
    )
    # Two places: this message and its reply. Another message that arrives meanwhile stands after both.
    Conversation.objects.filter(pk=conversation.pk).update(next_position=F("next_position") + 2)
    return OpenedTurn(turn.pk, Claimed(Claim.MINE, turn.attempt) if first else None)


def claim_turn(*, turn_id: UUID, now: datetime) -> Claimed:
    """
    Try to become the runner of this turn.

    MINE when it is its turn and nobody alive is at it; WAIT while an earlier one (or another runner of the same one)
    is; DONE and FAILED when it was settled meanwhile.
    """
    turn = Turn.objects.get(pk=turn_id)
    if turn.status == Turn.Status.DONE:
        return Claimed(Claim.DONE)
    if turn.status == Turn.Status.FAILED:
        return Claimed(Claim.FAILED)
    if turn.status == Turn.Status.RUNNING and turn.lease_until >= now:
        return Claimed(Claim.WAIT)
    earlier = Turn.objects.unfinished().filter(conversation_id=turn.conversation_id, position__lt=turn.position)
    if turn.status == Turn.Status.QUEUED and earlier.filter(lease_until__gte=now).exists():
        _keep_waiting(turn, now)
        return Claimed(Claim.WAIT)
    return _take(turn, now)


@transaction.atomic
def _take(turn: Turn, now: datetime) -> Claimed:
    Conversation.objects.select_for_update().get(pk=turn.conversation_id)
    lease_until = now + timedelta(seconds=settings.TURN_LEASE_S)
    # What this turn must not overtake: an earlier one that is open, and whichever is running.
    before_it = Q(position__lt=turn.position) | Q(status=Turn.Status.RUNNING)
    others = Turn.objects.unfinished().filter(before_it, conversation_id=turn.conversation_id).exclude(pk=turn.pk)
    # One nobody is at any more must not hold up the conversation for ever: it fails, keeps its message, and may be
    # tried again.
    others.filter(lease_until__lt=now).update(status=Turn.Status.FAILED, error_code="turn_interrupted")
    if others.exists():
        return Claimed(Claim.WAIT)
    taken = Turn.objects.filter(
        pk=turn.pk, status=turn.status, attempt=turn.attempt, lease_until=turn.lease_until
    ).update(status=Turn.Status.RUNNING, attempt=turn.attempt + 1, lease_until=lease_until)
    return Claimed(Claim.MINE, turn.attempt + 1) if taken else Claimed(Claim.WAIT)


def _keep_waiting(turn: Turn, now: datetime) -> None:
    """Somebody still waits for this turn. Written at most every third of a lease, not at every look."""
    lease = timedelta(seconds=settings.TURN_LEASE_S)
    if turn.lease_until - now < lease * 2 / 3:
        Turn.objects.filter(pk=turn.pk, status=Turn.Status.QUEUED).update(lease_until=now + lease)


def give_up_waiting(*, turn_id: UUID) -> bool:
    """Its place in the conversation did not come in time. The message is kept; the same client_id queues it again."""
    waited = Turn.objects.filter(pk=turn_id, status=Turn.Status.QUEUED).update(
        status=Turn.Status.FAILED, error_code="conversation_busy"
    )
    return waited == 1


def renew_lease(*, turn_id: UUID, attempt: int, now: datetime) -> bool:
    """Say that this runner is still at it. False when the turn has been taken over."""
    renewed = Turn.objects.filter(pk=turn_id, attempt=attempt, status=Turn.Status.RUNNING).update(
        lease_until=now + timedelta(seconds=settings.TURN_LEASE_S)
    )
    return renewed == 1


def mark_answered(
    *, turn_id: UUID, attempt: int, reply: str, outcome: Turn.Outcome, truncated: bool, now: datetime
) -> Message:
    """
    Mark the turn done and store its reply. Part of `settling.settle_turn`, whose transaction also finishes the model
    call and records a fire.

    Raises TurnTakenOver when another attempt has the turn.
    """
    settled = Turn.objects.filter(pk=turn_id, attempt=attempt, status=Turn.Status.RUNNING).update(
        status=Turn.Status.DONE, outcome=outcome, truncated=truncated, settled_at=now, error_code="", error_detail=""
    )
    if settled != 1:
        raise TurnTakenOver
    turn = Turn.objects.get(pk=turn_id)
    return Message.objects.create(
        conversation_id=turn.conversation_id,
        turn=turn,
        role=Message.Role.ELLA,
        position=turn.position + 1,
        text=reply,
        created_at=now,
    )


def mark_failed(*, turn_id: UUID, attempt: int, code: str, detail: str) -> bool:
    """
    The turn was not answered this time; its message is kept and the same client_id continues it. False when another
    attempt has it.
    """
    failed = Turn.objects.filter(pk=turn_id, attempt=attempt, status=Turn.Status.RUNNING).update(
        status=Turn.Status.FAILED, error_code=code[:40], error_detail=detail[:300]
    )
    return failed == 1


def fail_abandoned_turns(now: datetime) -> int:
    """
    Turns whose process died and whose client never came back: told as not answered, so that nobody waits for them.
    Returns how many.
    """
    return Turn.objects.abandoned(now - timedelta(seconds=settings.TURN_LEASE_S)).update(
        status=Turn.Status.FAILED, error_code="turn_interrupted", error_detail=""
    )
