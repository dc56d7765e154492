"""
A proposed fact: whose it is, how far it may be believed, and when it was or will be. The ledger then says whether it
stands.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime, time, timedelta

from ella.memory.evidence import Applied, Exchange, Refused, Speaker, message_id_of, speaker_of
from ella.memory.schemas import Basis, FactProposal
from ella.memory.when import RELATIVE_WORDS, DaySpan, Lean, resolve
from ledger.models import Fact, Tier
from ledger.services import FactOutcomeKind, assert_fact

ACTOR = "remember"
UNSURE_NOTE = "the time is not sure"

_CONFIDENCE = {Basis.TOLD: 0.9, Basis.HEARSAY: 0.6, Basis.CONCLUDED: 0.5}
_PAST = re.compile(
    r"^(did|was|were|went|visited|had|met|saw|finished|started|moved|lost|got|attended|made|bought)", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class Occasion:
    """
    When something in a person's life was or will be, with the words it was told in. Half-open, on the person's own
    days. Not `sure`: it may be any time within.
    """

    words: str = ""
    begins: datetime | None = None
    ends: datetime | None = None
    sure: bool = True


def apply_fact(exchange: Exchange, proposal: FactProposal) -> Applied:
    """Assert it at the tier its speaker allows. Raises Refused, LedgerRefusal."""
    speaker = speaker_of(proposal.evidence, exchange)
    about_the_person = proposal.subject.strip().lower().split(".")[0] in {"user", "person"}
    if about_the_person and speaker is Speaker.ELLA:
        raise Refused("Ella's words are no evidence for a fact about the person")
    tier = _tier(speaker, proposal.basis, about_the_person=about_the_person)
    if speaker is Speaker.ELLA and _stands(exchange, proposal):
        raise Refused("something stands there already, and what Ella says does not change it")
    occasion = _occasion(exchange, proposal)
    outcome = assert_fact(
        actor=ACTOR,
        owner=exchange.owner_id,
        tier=tier,
        subject=re.sub(r"^person\b", "user", proposal.subject.strip().lower()),
        predicate=proposal.predicate,
        object=proposal.object,
        confidence=_CONFIDENCE[proposal.basis] if speaker is Speaker.PERSON else 0.5,
        evidence=proposal.evidence,
        source_message_id=message_id_of(speaker, exchange),
        note="" if occasion.sure else UNSURE_NOTE,
        event_words=occasion.words,
        event_at=occasion.begins,
        event_until=occasion.ends,
    )
    known = outcome.kind is FactOutcomeKind.CORROBORATED
    return Applied.unchanged(outcome.fact.pk) if known else Applied.accepted(outcome.fact.pk)


def _tier(speaker: Speaker, basis: Basis, *, about_the_person: bool) -> Tier:
    if speaker is Speaker.ELLA:
        return Tier.INFERRED
    if not about_the_person:
        return Tier.USER_CLAIM
    return {Basis.TOLD: Tier.OBSERVED, Basis.HEARSAY: Tier.RUMORED, Basis.CONCLUDED: Tier.INFERRED}[basis]


def _stands(exchange: Exchange, proposal: FactProposal) -> bool:
    facts = Fact.objects.for_owner(exchange.owner_id).current()
    return facts.under_key(proposal.subject, proposal.predicate).exists()


def _occasion(exchange: Exchange, proposal: FactProposal) -> Occasion:
    """A relative word is never stored without the day it meant; one that no day can be found for refuses the item."""
    found = RELATIVE_WORDS.search(proposal.object)
    words = " ".join(proposal.when_words.split())[:80] or (found.group(0) if found else "")
    if not words:
        return Occasion()
    span = resolve(words, said_at=exchange.at, lean=Lean.PAST if _PAST.match(proposal.predicate) else Lean.FUTURE)
    if span is None:
        if found:
            raise Refused(f"no day could be found for “{found.group(0)}”")
        return Occasion()
    return _within(words, span, exchange.at)


def _within(words: str, span: DaySpan, said_at: datetime) -> Occasion:
    begins = datetime.combine(span.first, time.min, tzinfo=said_at.tzinfo)
    ends = datetime.combine(span.last + timedelta(days=1), time.min, tzinfo=said_at.tzinfo)
    return Occasion(words, begins, ends, span.sure)
