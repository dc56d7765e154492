"""
The one thing that can happen to how one feels towards another: it changes. The same state again changes nothing, and
nothing changes by itself.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from uuid import UUID

from django.db import transaction
from django.utils.timezone import is_naive, now

from ledger.drafts import kept_words
from ledger.fencing import one_line
from ledger.models import Relationship, RelationshipEvent, RelationshipStatus
from ledger.models.promises import NAME_MAX_CHARS
from ledger.models.relationships import STATE_MAX_CHARS
from ledger.naming import folded
from ledger.ownership import HOME_SCOPE, Owner, lock_owner
from ledger.refusals import InvalidRelationship, Reason


class RelationshipOutcomeKind(StrEnum):
    NEW = "new"
    CORROBORATED = "corroborated"
    CHANGED = "changed"


@dataclass(frozen=True, slots=True)
class RelationshipOutcome:
    """The state that holds now, and how it came to."""

    relationship: Relationship
    kind: RelationshipOutcomeKind


@transaction.atomic
def change_relationship(
    *,
    actor: str,
    owner: Owner,
    scope: str = HOME_SCOPE,
    from_who: str,
    to_who: str,
    state: str,
    cause: str = "",
    since: datetime | None = None,
    source_message_id: UUID | None = None,
    evidence: str = "",
) -> RelationshipOutcome:
    """
    Write how `from_who` feels towards `to_who` from `since` (aware; now, if nobody said) on. What held before becomes
    past.

    Raises `InvalidRelationship` with reason and field.
    """
    giver = _stated(from_who, "from_who", NAME_MAX_CHARS)
    receiver = _stated(to_who, "to_who", NAME_MAX_CHARS)
    felt = _stated(state, "state", STATE_MAX_CHARS)
    because = one_line(cause)
    if len(because) > STATE_MAX_CHARS:
        raise InvalidRelationship(Reason.TOO_LONG, "cause")
    if since is not None and is_naive(since):
        raise InvalidRelationship(Reason.NAIVE_TIME, "since")

    locked = lock_owner(owner)
    at = now()
    current = Relationship.objects.for_owner(locked.key, scope).current()
    pair = (folded(giver), folded(receiver))
    held = next((row for row in current if (folded(row.from_who), folded(row.to_who)) == pair), None)
    if held and folded(held.state) == folded(felt):
        _tell(held, RelationshipEvent.Kind.CORROBORATED, held.status, actor, at, source_message_id, {"cause": because})
        return RelationshipOutcome(held, RelationshipOutcomeKind.CORROBORATED)
    if held:
        Relationship.objects.filter(pk=held.pk, status=RelationshipStatus.CURRENT).update(
            status=RelationshipStatus.PAST
        )
    new = Relationship(
        owner_id=locked.key,
        scope=scope,
        from_who=giver,
        to_who=receiver,
        state=felt,
        cause=because,
        since=since or at,
        source_message_id=source_message_id,
        evidence=kept_words(evidence),
        created_at=at,
    )
    new.save()
    if held:
        old, held.status = held.status, RelationshipStatus.PAST
        _tell(held, RelationshipEvent.Kind.ENDED, old, actor, at, source_message_id, {"changed_into": str(new.pk)})
    _tell(new, RelationshipEvent.Kind.BEGAN, "", actor, at, source_message_id, {})
    return RelationshipOutcome(new, RelationshipOutcomeKind.CHANGED if held else RelationshipOutcomeKind.NEW)


def _stated(text: str, field: str, limit: int) -> str:
    stated = one_line(text)
    if not stated:
        raise InvalidRelationship(Reason.EMPTY, field)
    if len(stated) > limit:
        raise InvalidRelationship(Reason.TOO_LONG, field)
    return stated


def _tell(
    relationship: Relationship,
    kind: RelationshipEvent.Kind,
    old_status: str,
    actor: str,
    at: datetime,
    message_id: UUID | None,
    detail: Mapping[str, object],
) -> None:
    RelationshipEvent(
        relationship=relationship,
        kind=kind,
        actor=actor,
        at=at,
        caused_by_message_id=message_id,
        old_status=old_status,
        new_status=relationship.status,
        detail=dict(detail),
    ).save()
