"""
Reading relationships: how they are shown in a prompt, word for word as they were written. It writes nothing and softens
nothing.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import tzinfo
from uuid import UUID

from ledger.fencing import fence
from ledger.models import Relationship
from ledger.naming import shown_name


@dataclass(frozen=True, slots=True)
class RelationshipLine:
    """One line, without its newline."""

    text: str
    relationship_id: UUID


def relationship_lines(relationships: Iterable[Relationship], zone: tzinfo | None) -> list[RelationshipLine]:
    """
    A line for each relationship, in the order given:
    `- Ella → Ana: «feels closer since she spoke of her mother» · because «…» · since 2026-12-01`.

    `zone` is the person's: the day is told on their calendar.
    """
    return [_line(relationship, zone) for relationship in relationships]


def _line(relationship: Relationship, zone: tzinfo | None) -> RelationshipLine:
    names = f"{shown_name(relationship.from_who)} → {shown_name(relationship.to_who)}"
    parts = [f"- {names}: «{fence(relationship.state)}»"]
    if relationship.cause:
        parts.append(f"because «{fence(relationship.cause)}»")
    parts.append(f"since {relationship.since.astimezone(zone):%Y-%m-%d}")
    return RelationshipLine(" · ".join(parts), relationship.pk)
