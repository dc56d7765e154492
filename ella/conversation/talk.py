"""
A conversation as its page shows it: turns in order with their notes, their failures and the days they stand on, on the
person's own clock. Reads only; what is said in which words is the template's and `texts.yaml`'s.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime
from uuid import UUID

from django.utils.dateformat import format as format_date

from ella.conversation.links import Piece, pieces_with_links
from ella.conversation.models import Message, Turn
from ella.conversation.texts import error_text
from ella.people.models import Person

TURNS_SHOWN = 25
_FROM_TABLE = {Turn.Outcome.BOUNDARY_INBOUND, Turn.Outcome.BOUNDARY_OUTBOUND}


@dataclass(frozen=True, slots=True)
class Said:
    text: str
    at: datetime
    pieces: Sequence[Piece]


@dataclass(frozen=True, slots=True)
class ShownTurn:
    """`new_day` is set on the first turn of a day; `failure` is a sentence for the person, where there is one."""

    id: UUID
    client_id: str
    status: str
    new_day: date | None
    day_words: str
    asked: Said | None
    disclosure: str
    reply: Said | None
    from_table: bool
    waiting: bool
    failure: str


@dataclass(frozen=True, slots=True)
class Talk:
    """`earlier` is the position before which more was said; None at the beginning of the conversation."""

    turns: Sequence[ShownTurn] = ()
    earlier: int | None = None


def talk_of(*, person: Person, conversation_id: UUID, before: int | None, now: datetime) -> Talk:
    """The newest turns, or the newest ones before a position: two queries, however long the conversation is."""
    turns = Turn.objects.for_owner(person.pk).filter(conversation_id=conversation_id)
    if before is not None:
        turns = turns.filter(position__lt=before)
    newest = list(
        turns.select_related("disclosure").prefetch_related("messages").order_by("-position")[: TURNS_SHOWN + 1]
    )
    kept = newest[:TURNS_SHOWN][::-1]
    today = person.local_time(now).date()
    shown: list[ShownTurn] = []
    day: date | None = None
    for turn in kept:
        begun = person.local_time(turn.created_at).date()
        shown.append(_shown(turn, person, begun if begun != day else None, today))
        day = begun
    return Talk(shown, kept[0].position if len(newest) > TURNS_SHOWN else None)


def day_in_words(day: date, today: date) -> str:
    """As people say it: `Today`, `Yesterday`, `Tuesday 3 March`, and with its year once that is another one."""
    age = (today - day).days
    if age in (0, 1):
        return ("Today", "Yesterday")[age]
    return format_date(day, "l j F" if day.year == today.year else "l j F Y")


def _shown(turn: Turn, person: Person, new_day: date | None, today: date) -> ShownTurn:
    from_table = turn.outcome in _FROM_TABLE
    said = {message.role: message for message in turn.messages.all()}
    disclosure = getattr(turn, "disclosure", None)
    return ShownTurn(
        id=turn.pk,
        client_id=turn.client_id,
        status=turn.status,
        new_day=new_day,
        day_words=day_in_words(new_day, today) if new_day else "",
        asked=_said(said.get(Message.Role.PERSON), person, linked=False),
        disclosure=disclosure.text if disclosure else "",
        reply=_said(said.get(Message.Role.ELLA), person, linked=from_table),
        from_table=from_table,
        waiting=turn.status in (Turn.Status.QUEUED, Turn.Status.RUNNING),
        failure=error_text(turn.error_code) if turn.status == Turn.Status.FAILED else "",
    )


def _said(message: Message | None, person: Person, *, linked: bool) -> Said | None:
    if message is None:
        return None
    pieces = pieces_with_links(message.text) if linked else [Piece(message.text)]
    return Said(message.text, person.local_time(message.created_at), pieces)
