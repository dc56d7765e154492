"""
Every write of the ledgers: one keyword-only function for each thing that can happen, each one transaction with its
event rows.
"""

from ledger.services.facts import assert_fact, contest, make_anchor, retire, supersede
from ledger.services.outcomes import FactOutcome, FactOutcomeKind
from ledger.services.promises import PromiseOutcome, PromiseOutcomeKind, change_promise, make_promise, settle_promise
from ledger.services.relationships import RelationshipOutcome, RelationshipOutcomeKind, change_relationship

__all__ = [
    "FactOutcome",
    "FactOutcomeKind",
    "PromiseOutcome",
    "PromiseOutcomeKind",
    "RelationshipOutcome",
    "RelationshipOutcomeKind",
    "assert_fact",
    "change_promise",
    "change_relationship",
    "contest",
    "make_anchor",
    "make_promise",
    "retire",
    "settle_promise",
    "supersede",
]
