"""
The turn being answered, as plain data handed from step to step: no step holds a row, a connection or a transaction
for another.
"""

from __future__ import annotations

import zoneinfo
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from boundary.classify import Verdict
from boundary.models import BoundaryFire
from boundary.replying import Reply
from ella.conversation.models import Message
from ella.llm.outcome import CallOutcome


@dataclass(frozen=True, slots=True)
class TurnAtHand:
    turn_id: UUID
    attempt: int
    owner_id: UUID
    conversation_id: UUID
    message_id: UUID
    position: int
    text: str
    written_at: datetime
    called: str
    country: str
    language: str
    timezone: str
    last_table_text: str | None

    def local(self, moment: datetime) -> datetime:
        """`moment` on the person's own clock."""
        return moment.astimezone(zoneinfo.ZoneInfo(self.timezone))


@dataclass(slots=True)
class Spoken:
    """What came of asking; it grows while the model speaks."""

    inbound: Verdict | None = None
    call_id: UUID | None = None
    text: str = ""  # what the person was shown
    written: str = ""  # what the model wrote, also after it was stopped
    drift: Verdict | None = None
    replacement: Reply | None = None
    outcome: CallOutcome | None = None
    to_be_read_in: UUID | None = None  # the conversation `remember` has something to read in


def take_at_hand(turn_id: UUID, attempt: int) -> TurnAtHand:
    """Read what the steps of a turn need, once."""
    message = Message.objects.select_related("conversation__owner").get(turn_id=turn_id, role=Message.Role.PERSON)
    person = message.conversation.owner
    return TurnAtHand(
        turn_id=turn_id,
        attempt=attempt,
        owner_id=person.pk,
        conversation_id=message.conversation_id,
        message_id=message.pk,
        position=message.position,
        text=message.text,
        written_at=message.created_at,
        called=person.called,
        country=person.country,
        language=person.language,
        timezone=person.timezone,
        last_table_text=BoundaryFire.objects.for_owner(person.pk).last_reply_text_id(),
    )
