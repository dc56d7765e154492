"""
What the ledger knows about predicates: how many values one may hold, how soon it moves on by itself, and which other
words mean it. It reads `predicates.yaml` once and decides nothing about a single fact; a predicate it does not know
holds many values, so that unrelated facts never retire each other.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta
from enum import StrEnum
from functools import cache
from pathlib import Path
from typing import Any

import yaml

from ledger.refusals import InvalidFact, Reason
from ledger.subjects import folded_word

PREDICATE_MAX_CHARS = 60

_REGISTRY_FILE = Path(__file__).with_name("predicates.yaml")


class Volatility(StrEnum):
    """How soon a value may have moved on without anyone saying so."""

    FIXED = "fixed"
    SLOW = "slow"
    FAST = "fast"
    MOMENTARY = "momentary"


@dataclass(frozen=True, slots=True)
class Predicate:
    name: str
    holds_one: bool
    volatility: Volatility
    lasts: timedelta | None = None  # momentary predicates only: how long one saying holds
    derived: str = ""  # the predicate reckoned from this one's value at reading


@dataclass(frozen=True, slots=True)
class Registry:
    predicates: Mapping[str, Predicate]
    synonyms: Mapping[str, str]
    unlisted: Predicate
    age_shown_after: Mapping[Volatility, timedelta]

    def predicate(self, name: str) -> Predicate:
        """What is known of a normalised predicate; of an unlisted one, what holds for all of those."""
        return self.predicates.get(name, self.unlisted)

    def normalised(self, text: str) -> str:
        """
        The one name of the predicate `text` means. Raises `InvalidFact` (`malformed_predicate`) when it is no word at
        all, or a whole sentence.
        """
        word = folded_word(text)
        if not word or len(word) > PREDICATE_MAX_CHARS:
            raise InvalidFact(Reason.MALFORMED_PREDICATE, "predicate")
        return self.synonyms.get(word, word)


@cache
def registry() -> Registry:
    """
    The registry as written in `predicates.yaml`. Raises `ValueError` naming the entry that cannot be read, or a word
    that means two predicates.
    """
    written = yaml.safe_load(_REGISTRY_FILE.read_text(encoding="utf-8"))
    predicates = {name: _predicate(name, entry) for name, entry in written["predicates"].items()}
    synonyms: dict[str, str] = {}
    for name, entry in written["predicates"].items():
        for word in entry.get("also", ()):
            if word in predicates or word in synonyms:
                raise ValueError(f"predicates.yaml: {word!r} means two predicates, {name!r} is one of them")
            synonyms[word] = name
    shown_after = {Volatility(name): timedelta(days=days) for name, days in written["age_shown_after_days"].items()}
    return Registry(predicates, synonyms, _predicate("", written["unlisted"]), shown_after)


def _predicate(name: str, entry: Mapping[str, Any]) -> Predicate:
    volatility = Volatility(entry["volatility"])
    if entry["values"] not in ("one", "many") or (volatility is Volatility.MOMENTARY) != ("lasts_hours" in entry):
        raise ValueError(
            f"predicates.yaml: {name!r} must hold one or many values, and have lasts_hours exactly when it is momentary"
        )
    lasts = timedelta(hours=entry["lasts_hours"]) if "lasts_hours" in entry else None
    return Predicate(name, entry["values"] == "one", volatility, lasts, entry.get("derived", ""))
