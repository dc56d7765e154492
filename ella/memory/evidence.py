"""
The words an item rests on: they must stand in the exchange, and where they stand decides who said them. What the
model says about the speaker counts for nothing against that.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Self
from uuid import UUID

from ella.memory.models import ExtractionItem

_SHORTEST = 2


class Speaker(StrEnum):
    """Who said the words an item rests on."""

    PERSON = "person"
    ELLA = "ella"


class Refused(Exception):
    """An item that may not be applied. The reason is kept beside it; the others are applied all the same."""


@dataclass(frozen=True, slots=True)
class Applied:
    """What became of one item."""

    outcome: ExtractionItem.Outcome
    target_id: str = ""
    reason: str = ""

    @classmethod
    def accepted(cls, target: UUID) -> Self:
        return cls(ExtractionItem.Outcome.ACCEPTED, str(target))

    @classmethod
    def unchanged(cls, target: UUID | None = None) -> Self:
        return cls(ExtractionItem.Outcome.UNCHANGED, str(target or ""))

    @classmethod
    def refused(cls, reason: str) -> Self:
        return cls(ExtractionItem.Outcome.REFUSED, reason=reason)


@dataclass(frozen=True, slots=True)
class Exchange:
    """What the person wrote and what Ella answered. `at` is the moment of the person's message on their own clock."""

    turn_id: UUID
    conversation_id: UUID
    owner_id: UUID
    person_name: str
    person_message_id: UUID
    person_text: str
    ella_message_id: UUID
    ella_text: str
    at: datetime

    def name_of(self, role: str) -> str:
        """`person` and `ella` by name; anybody else as they were called."""
        return {"person": self.person_name, "user": self.person_name, "ella": "Ella"}.get(
            role.strip().lower(), role.strip()
        )


def speaker_of(quote: str, exchange: Exchange) -> Speaker:
    """Whose words `quote` are. The person's, when both said them. Raises Refused when nobody did."""
    wanted = _folded(quote)
    if len(wanted) < _SHORTEST:
        raise Refused("no evidence was quoted")
    if wanted in _folded(exchange.person_text):
        return Speaker.PERSON
    if wanted in _folded(exchange.ella_text):
        return Speaker.ELLA
    raise Refused("the quoted evidence does not occur in the exchange")


def message_id_of(speaker: Speaker, exchange: Exchange) -> UUID:
    return exchange.person_message_id if speaker is Speaker.PERSON else exchange.ella_message_id


def _folded(text: str) -> str:
    """Letters and digits only: a model that straightens a quotation mark or a space has still quoted."""
    return re.sub(r"[\W_]+", " ", unicodedata.normalize("NFKC", text).casefold()).strip()
