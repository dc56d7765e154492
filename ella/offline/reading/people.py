"""
Who a statement is about: the writer, somebody in the writer's life, or nobody that can be told for sure. It knows the
names the request itself names, and no others.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass, field

from ella.offline.reading.lexicon import (
    MANY_RELATIONS,
    PRONOUN_OF,
    RELATION_ADJECTIVES,
    RELATION_OF,
    alternation,
    words,
)

_RELATION_WORDS = alternation(tuple(RELATION_OF))
_ADJECTIVES = alternation(tuple(RELATION_ADJECTIVES))
_CAPITALISED = r"[^\W\d_a-zß-öø-ÿ][^\W\d_]{1,20}(?:[-'](?!s\b)[^\W\d_]{1,20})?"

# "my older sister Maja": the relation, and a name when one follows.
RELATIVE = re.compile(
    rf"\b(?i:my|our)\s+(?:(?:{_ADJECTIVES})\s+){{0,2}}(?P<relation>(?i:{_RELATION_WORDS}))(?![\w-])"
    rf"(?:,?\s+(?P<name>{_CAPITALISED})(?![\w-]))?"
)
_FIRST = re.compile(r"(?:i|we)(?=\s|'|’)", re.IGNORECASE)
_PRONOUN = re.compile(r"(?P<word>she|he)(?=\s|')", re.IGNORECASE)
_KNOWN_NAME = re.compile(r"(?P<path>[\w.]+) · name = «?(?P<name>[^«»]{1,60})")
_NOT_NAMES = words("lexicon", "not_names")


@dataclass(frozen=True, slots=True)
class Somebody:
    """
    `path` is the subject of facts about them; `first` says it is the writer.
    """

    path: str
    first: bool = False


@dataclass(slots=True)
class Circle:
    """The people a message may speak of: those already known, and those it introduces as it goes."""

    by_name: dict[str, str] = field(default_factory=dict)
    latest: dict[str, str] = field(default_factory=dict)  # "she" → the path last spoken of
    mentioned: str = ""  # the relation the sentence before spoke of

    @classmethod
    def known(cls, lines: Iterable[str]) -> Circle:
        circle = cls()
        for line in lines:
            match = _KNOWN_NAME.search(line)
            if match and match["path"].startswith("user."):
                circle.by_name[match["name"].strip()] = match["path"]
        return circle

    def path(self, relation: str, name: str) -> str:
        """
        The subject for somebody of that relation. A name known already keeps its path; a second sister gets one of
        her own.
        """
        if name and self.by_name.get(name, "").startswith(f"user.{relation}"):
            return self.by_name[name]
        plain = f"user.{relation}"
        others = [known for known, path in self.by_name.items() if path == plain]
        if name and (relation in MANY_RELATIONS or others):
            return f"{plain}.{slug(name)}"
        return plain

    def meet(self, relation: str, name: str, path: str) -> None:
        if name:
            self.by_name[name] = path
        pronoun = PRONOUN_OF.get(relation)
        for each in (pronoun,) if pronoun else ("she", "he"):
            self.latest[each] = path


def relation_of(word: str) -> str:
    return RELATION_OF[word.lower()]


def is_name(word: str) -> bool:
    return word[:1].isupper() and not word.isupper() and word.lower() not in _NOT_NAMES


def slug(name: str) -> str:
    """A name as one step of a subject: lower case, letters and digits only, joined by underscores."""
    plain = "".join(
        letter for letter in unicodedata.normalize("NFKD", name.lower()) if not unicodedata.combining(letter)
    )
    return re.sub(r"[\W_]+", "_", plain).strip("_") or "somebody"


def subject_of(clause: str, circle: Circle) -> tuple[Somebody, int] | None:
    """Whom the clause is about and where its verb begins, or nothing when that cannot be told."""
    first = _FIRST.match(clause)
    if first:
        return Somebody("user", first=True), first.end()
    relative = RELATIVE.match(clause[:1].lower() + clause[1:])
    if relative:
        relation = relation_of(relative["relation"])
        named = relative["name"] or ""
        if named and not is_name(named):
            named = ""
        end = relative.end("name") if named else relative.end("relation")
        path = circle.path(relation, named)
        circle.meet(relation, named, path)
        while end < len(clause) and clause[end] in ", ":
            end += 1
        return Somebody(path), end - (1 if clause[end - 1 : end] == " " else 0)
    pronoun = _PRONOUN.match(clause)
    if pronoun:
        path = circle.latest.get(pronoun["word"].lower(), "")
        return (Somebody(path), pronoun.end()) if path else None
    return _by_name(clause, circle)


def _by_name(clause: str, circle: Circle) -> tuple[Somebody, int] | None:
    for name, path in circle.by_name.items():
        if clause.startswith(name) and not clause[len(name) : len(name) + 1].isalnum():
            return Somebody(path), len(name)
    return None
