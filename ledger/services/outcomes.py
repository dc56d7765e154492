"""How a proposed fact came to stand. Told to the caller, stored nowhere: the events are the record."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from ledger.models import Fact


class FactOutcomeKind(StrEnum):
    NEW = "new"
    CORROBORATED = "corroborated"
    SUPERSEDING = "superseding"
    CONTESTING = "contesting"
    BESIDE = "beside"


@dataclass(frozen=True, slots=True)
class FactOutcome:
    """The fact that now says it, and how it came to stand."""

    fact: Fact
    kind: FactOutcomeKind
