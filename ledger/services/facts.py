"""
Everything that can happen to a fact. The services decide what a proposal may do from its tier and from what stands
under its key: confirm it, replace it, dispute it or stand beside it. No model's answer comes here with a status, an id
or the tier canon.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime, timedelta
from uuid import UUID

from django.db import transaction

from ledger.drafts import FactDraft, folded_object
from ledger.models import Fact, FactEvent, FactStatus, Tier
from ledger.ownership import HOME_SCOPE, Owner, lock_owner
from ledger.refusals import InvalidFact, Reason
from ledger.services.outcomes import FactOutcome, FactOutcomeKind
from ledger.services.standing import StandingFacts
from ledger.subjects import is_own_life

# Of their own life the person's word replaces whatever was held, and a newer conclusion an older one. Nothing else
# replaces by itself.
_REPLACES_IN_OWN_LIFE = {
    Tier.OBSERVED: frozenset({Tier.OBSERVED, Tier.RUMORED, Tier.USER_CLAIM, Tier.INFERRED}),
    Tier.USER_CLAIM: frozenset({Tier.USER_CLAIM}),
    Tier.INFERRED: frozenset({Tier.INFERRED}),
}
# Of her world only the person's own earlier claim gives way to their newer one; everything else that disagrees is
# disputed.
_REPLACES_IN_HER_WORLD = {Tier.USER_CLAIM: frozenset({Tier.USER_CLAIM})}
# Two tellings of one past event may differ by this much ("yesterday", "yesterday evening").
_SAME_EVENT_WITHIN = timedelta(hours=24)


@transaction.atomic
def assert_fact(
    *,
    actor: str,
    owner: Owner,
    scope: str = HOME_SCOPE,
    tier: Tier,
    subject: str,
    predicate: str,
    object: str,
    confidence: float,
    evidence: str,
    source_message_id: UUID | None = None,
    note: str = "",
    true_from: datetime | None = None,
    event_at: datetime | None = None,
    event_until: datetime | None = None,
    event_words: str = "",
    followup_window: timedelta | None = None,
) -> FactOutcome:
    """
    Hold `object` to be so, by the authority of `tier`, unless the ledger knows it already.

    `subject` and `predicate` may be written in any of their forms; moments are aware. The same object again is
    corroboration and makes no second row; with another time for something still to come, it has been moved and
    replaces. Raises `InvalidFact` with reason and field, and then nothing has happened; canon is refused here, see
    `make_anchor`.
    """
    draft = FactDraft(
        tier=tier,
        subject=subject,
        predicate=predicate,
        object=object,
        confidence=confidence,
        evidence=evidence,
        source_message_id=source_message_id,
        note=note,
        true_from=true_from,
        event_at=event_at,
        event_until=event_until,
        event_words=event_words,
        followup_window=followup_window,
    ).checked()
    if draft.tier is Tier.CANON:
        raise InvalidFact(Reason.TIER_NOT_ALLOWED, "tier", "canon is made by an anchor")
    if not draft.evidence:
        raise InvalidFact(Reason.NO_EVIDENCE, "evidence")
    standing = _standing(actor, owner, scope, draft.subject, draft.predicate)
    return _place(standing, draft, kind=FactEvent.Kind.ASSERTED)


@transaction.atomic
def make_anchor(
    *,
    actor: str,
    owner: Owner,
    scope: str = HOME_SCOPE,
    subject: str,
    predicate: str,
    object: str,
    note: str = "",
    evidence: str = "",
    source_message_id: UUID | None = None,
    true_from: datetime | None = None,
) -> FactOutcome:
    """
    The narrative anchor of a key: its first canon. Lower facts that say the same give way to it; those of the world
    that disagree are disputed.

    Raises `InvalidFact` (`anchor_stands`) where another anchor stands, disputed or not: that one is replaced
    explicitly, by `supersede`.
    """
    draft = FactDraft(
        tier=Tier.CANON,
        subject=subject,
        predicate=predicate,
        object=object,
        confidence=1.0,
        evidence=evidence,
        source_message_id=source_message_id,
        note=note,
        true_from=true_from,
    ).checked()
    standing = _standing(actor, owner, scope, draft.subject, draft.predicate)
    if standing.anchor and folded_object(standing.anchor.object) != draft.folded_object:
        raise InvalidFact(Reason.ANCHOR_STANDS, "object")
    return _place(standing, draft, kind=FactEvent.Kind.ANCHORED)


@transaction.atomic
def supersede(
    *,
    actor: str,
    fact: Fact,
    object: str,
    reason: str,
    tier: Tier | None = None,
    confidence: float = 1.0,
    evidence: str = "",
    source_message_id: UUID | None = None,
    note: str = "",
    true_from: datetime | None = None,
    event_at: datetime | None = None,
    event_until: datetime | None = None,
    event_words: str = "",
) -> FactOutcome:
    """
    Replace one fact explicitly, an anchor too, by a fact under the same key; it is true until the new one is
    (`true_from`, or now).

    Raises `InvalidFact`: `lower_tier` below the fact's own tier, `not_standing` when it has ended, `same_object` when
    nothing would change.
    """
    draft = FactDraft(
        tier=tier or Tier(fact.tier),
        subject=fact.subject,
        predicate=fact.predicate,
        object=object,
        confidence=confidence,
        evidence=evidence,
        source_message_id=source_message_id,
        note=note,
        true_from=true_from,
        event_at=event_at,
        event_until=event_until,
        event_words=event_words,
    ).checked()
    if draft.tier.rank > Tier(fact.tier).rank:
        raise InvalidFact(Reason.LOWER_TIER, "tier")
    standing = _standing(actor, fact.owner_id, fact.scope, fact.subject, fact.predicate)
    old = standing.require(fact)
    if folded_object(old.object) == draft.folded_object and (draft.tier, event_at) == (old.tier, old.event_at):
        raise InvalidFact(Reason.SAME_OBJECT, "object")
    kind = FactEvent.Kind.ANCHORED if draft.tier is Tier.CANON else FactEvent.Kind.ASSERTED
    return _place(standing, draft, kind=kind, replacing=old, reason=reason)


@transaction.atomic
def retire(*, actor: str, fact: Fact, reason: str, ended_at: datetime | None = None) -> Fact:
    """
    Let a fact stand no longer: ended in the world at `ended_at`, or, without it, withdrawn as something that should
    never have been held.

    What it alone disputed stands undisputed again. Raises `InvalidFact` (`not_standing`) when it has ended already.
    """
    standing = _standing(actor, fact.owner_id, fact.scope, fact.subject, fact.predicate)
    old = standing.require(fact)
    standing.retire(old, ended_at=ended_at, reason=reason)
    standing.settle(cause=old)
    return old


@transaction.atomic
def contest(*, actor: str, first: Fact, second: Fact, reason: str) -> tuple[Fact, Fact]:
    """
    Mark two facts of one key as disputing each other, both in one transaction; what is marked already stays so.

    For what slipped through, or for a predicate of many values where two of them cannot both hold. Raises
    `InvalidFact`: `other_key`, `same_object`, `claim_stands_beside`, `not_standing`.
    """
    if _key(first) != _key(second):
        raise InvalidFact(Reason.OTHER_KEY, "second")
    if folded_object(first.object) == folded_object(second.object):
        raise InvalidFact(Reason.SAME_OBJECT, "second")
    standing = _standing(actor, first.owner_id, first.scope, first.subject, first.predicate)
    pair = standing.require(first), standing.require(second)
    if not all(Tier(fact.tier).is_of_the_world for fact in pair):
        raise InvalidFact(Reason.CLAIM_STANDS_BESIDE, "second")
    standing.dispute(pair[:1], cause=pair[1], reason=reason)
    standing.dispute(pair[1:], cause=pair[0], reason=reason)
    return pair


def _key(fact: Fact) -> tuple[UUID, str, str, str]:
    return fact.owner_id, fact.scope, fact.subject, fact.predicate


def _standing(actor: str, owner: Owner, scope: str, subject: str, predicate: str) -> StandingFacts:
    locked = lock_owner(owner)
    return StandingFacts.read(owner=locked, scope=scope, subject=subject, predicate=predicate, actor=actor)


def _place(
    standing: StandingFacts, draft: FactDraft, *, kind: FactEvent.Kind, replacing: Fact | None = None, reason: str = ""
) -> FactOutcome:
    """
    Find the draft its place among what stands: the whole of the ledger's authority is in this function and the tables
    it reads.
    """
    others = [fact for fact in standing.facts if fact != replacing]
    same = [fact for fact in others if _says_the_same(fact, draft, standing.at)]
    agreeing = min((fact for fact in same if _outweighs(fact, draft, standing.at)), key=_rank, default=None)
    disagreeing = [fact for fact in standing.disagreeing_with(draft.object) if fact != replacing]
    yielding = [fact for fact in disagreeing if Tier(fact.tier) in _replaced_by(draft)]
    named = [replacing] if replacing else []

    if agreeing:
        standing.corroborate(agreeing, draft)
        standing.yield_to(agreeing, [*named, *yielding], draft, reason=reason)
        standing.settle(cause=agreeing)
        return FactOutcome(agreeing, FactOutcomeKind.SUPERSEDING if named else FactOutcomeKind.CORROBORATED)

    old = [*named, *sorted([*same, *yielding], key=_rank)]
    if old:
        fact = standing.replace(old, draft, kind=kind, reason=reason)
    else:
        fact = standing.insert(draft, kind=kind, reason=reason)
    standing.settle(cause=fact)
    return FactOutcome(fact, _outcome(fact, old, disagreeing))


def _outcome(fact: Fact, old: Iterable[Fact], disagreeing: Iterable[Fact]) -> FactOutcomeKind:
    if any(old):
        return FactOutcomeKind.SUPERSEDING
    if fact.status == FactStatus.CONTESTED:
        return FactOutcomeKind.CONTESTING
    return FactOutcomeKind.BESIDE if any(disagreeing) else FactOutcomeKind.NEW


def _rank(fact: Fact) -> int:
    return Tier(fact.tier).rank


def _replaced_by(draft: FactDraft) -> frozenset[Tier]:
    replaces = _REPLACES_IN_OWN_LIFE if is_own_life(draft.subject) else _REPLACES_IN_HER_WORLD
    return replaces.get(draft.tier, frozenset())


def _outweighs(fact: Fact, draft: FactDraft, now: datetime) -> bool:
    """
    Whether a fact that says the same already says it with at least the draft's authority, so that the draft only
    confirms it.
    """
    if not draft.tier.is_of_the_world:
        return True
    if not Tier(fact.tier).is_of_the_world or _rank(fact) > draft.tier.rank:
        return False
    return _rank(fact) < draft.tier.rank or not _gives_another_time(draft, fact, now)


def _gives_another_time(draft: FactDraft, fact: Fact, now: datetime) -> bool:
    """Whether the draft tells when for the first time, or moves what is still to come."""
    if draft.event_at is None:
        return False
    return fact.event_at is None or (fact.event_at > now and fact.event_at != draft.event_at)


def _says_the_same(fact: Fact, draft: FactDraft, now: datetime) -> bool:
    """
    The same object, and not another occurrence: two visits to the dentist are two facts once the first one is over.
    """
    if folded_object(fact.object) != draft.folded_object:
        return False
    if fact.event_at is None or draft.event_at is None or fact.event_at > now:
        return True
    return abs(fact.event_at - draft.event_at) < _SAME_EVENT_WITHIN
