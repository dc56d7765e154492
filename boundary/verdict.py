"""
The words in which the boundary answers: direction, category, hit, verdict.

Plain values with no Django behind them, so that everything above may hold, compare and store them. This module must
never decide anything.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Direction(StrEnum):
    INBOUND = "inbound"
    OUTBOUND = "outbound"

    @property
    def label(self) -> str:
        return "written to Ella" if self is Direction.INBOUND else "written by the model"


class Category(StrEnum):
    """
    In order of precedence: the first of these that fires is the verdict (design: a crisis is a crisis whatever stands
    beside it).
    """

    EMOTIONAL_CRISIS = "emotional_crisis"
    PHYSICAL_ESCALATION = "physical_escalation"
    ROMANTIC_AVOWAL = "romantic_avowal"
    MANIPULATION = "manipulation"
    OK = "ok"

    @property
    def rank(self) -> int:
        """0 is the gravest."""
        return _RANKS[self]

    @property
    def label(self) -> str:
        return self.value.replace("_", " ")


_RANKS = {category: rank for rank, category in enumerate(Category)}


@dataclass(frozen=True, slots=True)
class Hit:
    """
    One rule that matched. `span` is (start, end) in the characters of the text as it was written; `situation` names
    the reply it asks for.
    """

    rule: str
    category: Category
    soft: bool
    span: tuple[int, int]
    situation: str = "plain"


@dataclass(frozen=True, slots=True)
class Verdict:
    """
    What was found in one text.

    `category` is the gravest category among the hard hits or, where there is none, among the soft ones; `soft` says
    which of the two. A soft verdict does not block: it asks for care. `rules` and `span` belong to the hits that
    decided; `hits` holds every one, of every category, gravest first.
    """

    category: Category = Category.OK
    soft: bool = False
    rules: tuple[str, ...] = ()
    span: tuple[int, int] | None = None
    hits: tuple[Hit, ...] = ()

    @property
    def fired(self) -> bool:
        """The text may not pass as it is: it is answered from the reply table."""
        return self.category is not Category.OK and not self.soft

    @property
    def distress(self) -> bool:
        """Somebody may be hurting, whatever else the verdict says: true for a crisis hit of any strength."""
        return any(hit.category is Category.EMOTIONAL_CRISIS for hit in self.hits)

    @property
    def situation(self) -> str:
        """Which set of replies answers this: the situation of the first deciding hit that names one."""
        if self.category is Category.OK:
            return "plain"
        deciding = (hit.situation for hit in self.hits if hit.category is self.category and hit.soft is self.soft)
        return next((situation for situation in deciding if situation != "plain"), "plain")


NOTHING = Verdict()
