"""
A fact before it is one: checked, normalised and safe to store. Whatever this refuses never reaches a table; what it
lets through still has to find its place among the facts that stand.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Self
from uuid import UUID

from django.utils.timezone import is_naive

from ledger.fencing import one_line
from ledger.models import OBJECT_MAX_CHARS, Tier
from ledger.naming import folded
from ledger.refusals import InvalidFact, Reason
from ledger.refused_kinds import is_filler, refused_kind
from ledger.registry import registry
from ledger.subjects import normalised_subject

EVIDENCE_MAX_CHARS = 2_000
EVENT_WORDS_MAX_CHARS = 120
_ARTICLE = re.compile(r"^(?:an?|the) (?=\S)")


def folded_object(text: str) -> str:
    """What makes two objects the same: case, accents, a leading article and closing punctuation do not."""
    return _ARTICLE.sub("", folded(text).strip(" .,;:!?\"'“”‘’"))


@dataclass(frozen=True, slots=True, kw_only=True)
class FactDraft:
    tier: Tier
    subject: str
    predicate: str
    object: str
    confidence: float
    evidence: str
    source_message_id: UUID | None = None
    note: str = ""
    true_from: datetime | None = None
    event_at: datetime | None = None
    event_until: datetime | None = None
    event_words: str = ""
    followup_window: timedelta | None = None

    @property
    def folded_object(self) -> str:
        return folded_object(self.object)

    def checked(self) -> Self:
        """
        The draft as it may be stored. Raises `InvalidFact` with the reason and the field.

        Too long is refused, not cut: half a statement can mean the opposite.
        """
        tier = _tier(self.tier)
        subject = normalised_subject(self.subject)
        predicate = registry().normalised(self.predicate)
        stated = _stated(self.object)
        if not 0 <= self.confidence <= 1:
            raise InvalidFact(Reason.CONFIDENCE_OUT_OF_RANGE, "confidence")
        for field in ("true_from", "event_at", "event_until"):
            moment = getattr(self, field)
            if moment is not None and is_naive(moment):
                raise InvalidFact(Reason.NAIVE_TIME, field)
        if self.event_until and (self.event_at is None or self.event_until < self.event_at):
            raise InvalidFact(Reason.ENDS_BEFORE_IT_BEGINS, "event_until")
        refused = refused_kind(subject, predicate, stated)
        if refused:
            raise InvalidFact(refused, "object")
        return type(self)(
            tier=tier,
            subject=subject,
            predicate=predicate,
            object=stated,
            confidence=float(self.confidence),
            evidence=kept_words(self.evidence),
            source_message_id=self.source_message_id,
            note=kept_words(self.note),
            true_from=self.true_from,
            event_at=self.event_at,
            event_until=self.event_until,
            event_words=one_line(self.event_words)[:EVENT_WORDS_MAX_CHARS],
            followup_window=self.followup_window,
        )


def kept_words(text: str, limit: int = EVIDENCE_MAX_CHARS) -> str:
    """Evidence, notes and reasons as they are stored: one line, no longer than anybody will read."""
    line = one_line(text)
    return line if len(line) <= limit else line[: limit - 1] + "…"


def _tier(tier: str) -> Tier:
    try:
        return Tier(tier)
    except ValueError:
        raise InvalidFact(Reason.UNKNOWN_TIER, "tier") from None


def _stated(object: str) -> str:
    stated = one_line(object)
    if not stated:
        raise InvalidFact(Reason.EMPTY, "object")
    if len(stated) > OBJECT_MAX_CHARS:
        raise InvalidFact(Reason.TOO_LONG, "object")
    if is_filler(stated):
        raise InvalidFact(Reason.FILLER, "object")
    return stated
