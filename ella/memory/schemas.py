"""
The shape of what a model may answer when it reads an exchange: proposals, item by item, each resting on words that
were said.

There is no field for an id, a date, a tier or a status: those are the server's (memory/applying.py). Every property
is required and nothing is bounded here, because the provider's structured output knows neither; bounds are checked
when an item is applied, so that one bad item costs only itself.
"""

from __future__ import annotations

from enum import StrEnum

from pydantic import BaseModel, ConfigDict


class Basis(StrEnum):
    """How the speaker knows."""

    TOLD = "told"  # of their own life, or seen by themselves
    HEARSAY = "hearsay"  # somebody else said so
    CONCLUDED = "concluded"  # not said, but follows from what was


class Certainty(StrEnum):
    HAPPENED = "happened"
    LIKELY = "likely"
    MAYBE = "maybe"


class PromiseChange(StrEnum):
    MADE = "made"
    KEPT = "kept"
    BROKEN = "broken"
    MOVED = "moved"
    WITHDRAWN = "withdrawn"


class _Item(BaseModel):
    model_config = ConfigDict(extra="forbid")


class FactProposal(_Item):
    """
    `subject` is a dotted path (`user`, `user.sister`, `user.friend.tom`, `ellahome.kitchen`), `when_words` the
    speaker's words for a time or an empty string.
    """

    subject: str
    predicate: str
    object: str
    basis: Basis
    when_words: str
    evidence: str


class SceneProposal(_Item):
    """Where a thing or a body is after this exchange. `state` empty: it has left the scene."""

    thing: str
    state: str
    evidence: str


class PromiseProposal(_Item):
    """
    `who` and `to` are `person`, `ella` or a name. For anything but `made`, `what` repeats the words of the open
    promise.
    """

    change: PromiseChange
    who: str
    to: str
    what: str
    when_words: str
    evidence: str


class RelationshipProposal(_Item):
    """Only when this exchange changed how one of them feels towards the other."""

    who: str
    towards: str
    state: str
    cause: str
    evidence: str


class ThoughtProposal(_Item):
    """Something Ella said of herself: a recollection, an intent, an opinion. Said, not true."""

    content: str
    about: list[str]
    certainty: Certainty
    evidence: str


class ExchangeReading(_Item):
    """Everything one exchange changed. Empty lists where it changed nothing, which is the usual case."""

    facts: list[FactProposal]
    scene: list[SceneProposal]
    promises: list[PromiseProposal]
    relationships: list[RelationshipProposal]
    thoughts: list[ThoughtProposal]
