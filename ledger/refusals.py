"""
What the ledgers refuse, each with a stable reason code and the field it concerns, so that a caller can record why an
item did not land. A refusal is raised before anything is written; it never carries a person's words beyond what it has
to name.
"""

from __future__ import annotations

from django.db import models


class Reason(models.TextChoices):
    """Why something was refused. The codes are stable: extraction records and the API show them."""

    EMPTY = "empty", "nothing was said"
    TOO_LONG = "too_long", "longer than the ledger holds"
    FILLER = "filler", "a pronoun or a filler says nothing outside its sentence"
    NO_EVIDENCE = "no_evidence", "there are no words it rests on"
    UNKNOWN_SUBJECT = "unknown_subject", "the subject begins with nothing the ledger knows"
    MALFORMED_SUBJECT = "malformed_subject", "the subject is not a dotted path of words"
    SUBJECT_TOO_DEEP = "subject_too_deep", "the subject has too many parts"
    MALFORMED_PREDICATE = "malformed_predicate", "the predicate is not a word or a few words"
    UNKNOWN_TIER = "unknown_tier", "there is no such tier"
    TIER_NOT_ALLOWED = "tier_not_allowed", "this tier is not reached this way"
    LOWER_TIER = "lower_tier", "a lower tier never replaces a higher one"
    CONFIDENCE_OUT_OF_RANGE = "confidence_out_of_range", "confidence lies between 0 and 1"
    NAIVE_TIME = "naive_time", "a moment without a time zone"
    ENDS_BEFORE_IT_BEGINS = "ends_before_it_begins", "it would end before it begins"
    ABOUT_THE_SYSTEM = "about_the_system", "statements about the system itself are not facts"
    INSTRUCTION = "instruction", "an instruction is not a fact"
    ANCHOR_STANDS = "anchor_stands", "an anchor stands here; replace it explicitly"
    NOT_STANDING = "not_standing", "it has ended already"
    SAME_OBJECT = "same_object", "both say the same"
    OTHER_KEY = "other_key", "facts of different keys cannot dispute each other"
    CLAIM_STANDS_BESIDE = "claim_stands_beside", "a person's claim about her world stands beside it"
    UNKNOWN_STATUS = "unknown_status", "it cannot end this way"
    NOTHING_CHANGED = "nothing_changed", "the new promise is the old one"
    OTHER_OWNER = "other_owner", "it belongs to somebody else"


class LedgerRefusal(ValueError):
    """Something the ledgers do not take. `reason` is a `Reason`, `field` the argument it concerns."""

    def __init__(self, reason: Reason, field: str, detail: str = "") -> None:
        self.reason = reason
        self.field = field
        super().__init__(f"{field}: {detail or reason.label} ({reason.value})")


class InvalidFact(LedgerRefusal):
    pass


class InvalidPromise(LedgerRefusal):
    pass


class InvalidRelationship(LedgerRefusal):
    pass
