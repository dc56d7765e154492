"""The tables of the ledgers: facts, promises and relationships, each with its events."""

from ledger.models.facts import OBJECT_MAX_CHARS, STANDING, Fact, FactEvent, FactStatus, Tier
from ledger.models.promises import Promise, PromiseEvent, PromiseStatus
from ledger.models.relationships import Relationship, RelationshipEvent, RelationshipStatus

__all__ = [
    "OBJECT_MAX_CHARS",
    "STANDING",
    "Fact",
    "FactEvent",
    "FactStatus",
    "Promise",
    "PromiseEvent",
    "PromiseStatus",
    "Relationship",
    "RelationshipEvent",
    "RelationshipStatus",
    "Tier",
]
