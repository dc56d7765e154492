"""
What stands under one key of one person's ledger, held under their lock, and the few moves that change it. Every move is
a compare-and-set and writes its event; after any of them `settle` makes the disputes whole again. Which move to make is
decided in `facts.py`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Self
from uuid import UUID

from django.utils.timezone import now

from ledger.drafts import FactDraft, folded_object, kept_words
from ledger.models import Fact, FactEvent, FactStatus, Tier
from ledger.models.facts import STANDING
from ledger.models.grammar import REASON_MAX_CHARS
from ledger.ownership import LockedOwner
from ledger.refusals import InvalidFact, Reason
from ledger.registry import registry


@dataclass(slots=True)
class StandingFacts:
    """
    The facts standing under (owner, scope, subject, predicate), inside one transaction that holds the owner's lock.

    Invariant after `settle`: under a key that holds one value, world facts are contested exactly when they disagree;
    under one that holds many, contested facts never stand alone.
    """

    owner: LockedOwner
    scope: str
    subject: str
    predicate: str
    actor: str
    at: datetime
    facts: list[Fact]

    @classmethod
    def read(cls, *, owner: LockedOwner, scope: str, subject: str, predicate: str, actor: str) -> Self:
        """
        One indexed query. The moment is taken here, behind the lock, so that the order of events is the order of
        writes.
        """
        found = Fact.objects.for_owner(owner.key, scope).standing().filter(subject=subject, predicate=predicate)
        return cls(owner, scope, subject, predicate, actor, now(), list(found.order_by("created_at", "id")))

    @property
    def holds_one(self) -> bool:
        return registry().predicate(self.predicate).holds_one

    @property
    def anchor(self) -> Fact | None:
        return next((fact for fact in self.facts if fact.tier == Tier.CANON), None)

    def disagreeing_with(self, object: str) -> list[Fact]:
        """The standing facts that cannot hold beside `object`: none where the predicate holds many values."""
        if not self.holds_one:
            return []
        return [fact for fact in self.facts if folded_object(fact.object) != folded_object(object)]

    def require(self, fact: Fact) -> Fact:
        """`fact` as it stands under the lock. Raises `InvalidFact` (`not_standing`) when it has ended meanwhile."""
        standing = next((one for one in self.facts if one.pk == fact.pk), None)
        if standing is None:
            raise InvalidFact(Reason.NOT_STANDING, "fact")
        return standing

    def insert(
        self, draft: FactDraft, *, kind: FactEvent.Kind, supersedes: Fact | None = None, reason: str = ""
    ) -> Fact:
        fact = Fact(
            owner_id=self.owner.key,
            scope=self.scope,
            tier=draft.tier,
            subject=draft.subject,
            predicate=draft.predicate,
            object=draft.object,
            confidence=draft.confidence,
            source_message_id=draft.source_message_id,
            evidence=draft.evidence,
            note=draft.note,
            created_at=self.at,
            confirmed_at=self.at,
            true_from=draft.true_from,
            supersedes=supersedes,
            event_at=draft.event_at,
            event_until=draft.event_until,
            event_words=draft.event_words,
            followup_window=draft.followup_window,
        )
        fact.save()
        self.facts.append(fact)
        self._tell(fact, kind, None, reason=reason, message_id=draft.source_message_id)
        return fact

    def corroborate(self, fact: Fact, draft: FactDraft) -> None:
        """
        The same was said again: when, by which words and how surely is kept in the event; the fact itself stays as it
        was first told.
        """
        Fact.objects.filter(pk=fact.pk).update(confirmed_at=self.at)
        fact.confirmed_at = self.at
        said: dict[str, object] = {
            "tier": draft.tier.value,
            "confidence": draft.confidence,
            "object": draft.object,
            "evidence": draft.evidence,
        }
        status = FactStatus(fact.status)
        self._tell(fact, FactEvent.Kind.CORROBORATED, status, message_id=draft.source_message_id, detail=said)

    def replace(self, old: Sequence[Fact], draft: FactDraft, *, kind: FactEvent.Kind, reason: str = "") -> Fact:
        """
        `draft` in the place of `old`. They end before it begins (the database allows one active canon), and are told of
        after it, so that their events can name it as the cause.
        """
        before = [(fact, FactStatus(fact.status)) for fact in old]
        for fact in old:
            self._end(fact, FactStatus.SUPERSEDED, draft.true_from or self.at)
        new = self.insert(draft, kind=kind, supersedes=old[0], reason=reason)
        for fact, status in before:
            self._tell_end(fact, status, reason=reason, caused_by=new, message_id=draft.source_message_id)
        return new

    def yield_to(self, winner: Fact, losers: Iterable[Fact], draft: FactDraft, *, reason: str = "") -> None:
        """`losers` are superseded by a fact that stands already, and that `draft` said again."""
        for fact in losers:
            old = FactStatus(fact.status)
            self._end(fact, FactStatus.SUPERSEDED, draft.true_from or self.at)
            self._tell_end(fact, old, reason=reason, caused_by=winner, message_id=draft.source_message_id)

    def retire(self, fact: Fact, *, ended_at: datetime | None, reason: str) -> None:
        old = FactStatus(fact.status)
        self._end(fact, FactStatus.RETIRED, ended_at)
        self._tell_end(fact, old, reason=reason)

    def dispute(self, facts: Iterable[Fact], *, cause: Fact | None, reason: str = "") -> None:
        self._project(facts, FactStatus.CONTESTED, FactEvent.Kind.CONTESTED, cause, reason)

    def settle(self, *, cause: Fact | None) -> None:
        """Mark what disagrees and unmark what no longer does."""
        world = [fact for fact in self.facts if Tier(fact.tier).is_of_the_world]
        if self.holds_one:
            disputed = len({folded_object(fact.object) for fact in world}) > 1
        else:
            world = [fact for fact in world if fact.status == FactStatus.CONTESTED]
            disputed = len(world) > 1
        if disputed:
            self.dispute(world, cause=cause)
        else:
            self._project(
                world, FactStatus.ACTIVE, FactEvent.Kind.RESOLVED, cause, "nothing stands against it any more"
            )

    def _end(self, fact: Fact, status: FactStatus, true_until: datetime | None) -> None:
        ended = Fact.objects.filter(pk=fact.pk, status__in=STANDING).update(status=status, true_until=true_until)
        if ended != 1:
            raise InvalidFact(Reason.NOT_STANDING, "fact")
        self.facts.remove(fact)
        fact.status, fact.true_until = status, true_until

    def _tell_end(
        self,
        fact: Fact,
        old: FactStatus,
        *,
        reason: str,
        caused_by: Fact | None = None,
        message_id: UUID | None = None,
    ) -> None:
        superseded = fact.status == FactStatus.SUPERSEDED
        kind = FactEvent.Kind.SUPERSEDED if superseded else FactEvent.Kind.RETIRED
        detail = {"true_until": fact.true_until.isoformat()} if fact.true_until else {}
        self._tell(fact, kind, old, reason=reason, caused_by=caused_by, message_id=message_id, detail=detail)

    def _project(
        self, facts: Iterable[Fact], status: FactStatus, kind: FactEvent.Kind, cause: Fact | None, reason: str
    ) -> None:
        for fact in facts:
            if fact.status == status:
                continue
            old = FactStatus(fact.status)
            Fact.objects.filter(pk=fact.pk, status=old).update(status=status)
            fact.status = status
            self._tell(fact, kind, old, reason=reason, caused_by=cause if cause != fact else None)

    def _tell(
        self,
        fact: Fact,
        kind: FactEvent.Kind,
        old: FactStatus | None,
        *,
        reason: str = "",
        caused_by: Fact | None = None,
        message_id: UUID | None = None,
        detail: Mapping[str, object] | None = None,
    ) -> None:
        FactEvent(
            fact=fact,
            kind=kind,
            actor=self.actor,
            at=self.at,
            reason=kept_words(reason, REASON_MAX_CHARS),
            caused_by_fact=caused_by,
            caused_by_message_id=message_id,
            old_status=old or "",
            new_status=fact.status,
            detail=dict(detail or {}),
        ).save()
