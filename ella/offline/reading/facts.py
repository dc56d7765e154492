"""
Reads facts out of an exchange: what the person tells of themselves, of the people around them and of Ella's world,
and what Ella states about her own.

Precision before recall: a sentence that cannot be read for sure gives nothing. Ella's words are never evidence for a
fact about the person.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from ella.offline.reading.kinds import KINDS, date_of
from ella.offline.reading.lexicon import load
from ella.offline.reading.objects import cut_object
from ella.offline.reading.people import Circle, Somebody, slug, subject_of
from ella.offline.reading.people_named import names_in
from ella.offline.reading.rules import Found, read_statement
from ella.offline.reading.sentences import Clause, Sentence, clauses, sentences, whole
from ella.offline.reading.timewords import Direction, leading_time
from ella.offline.reading.world import world_claims

_MAX_FACTS = 12
# Right before a statement: somebody else said so.
_HEARD = re.compile(r"\b(?:apparently|i heard|i hear|they say|rumou?r has it)(?: that)?[\s,:]*\Z", re.IGNORECASE)
_HEARD_CHARS = 24
# What is said of the software is nobody's life.
_ABOUT_SOFTWARE = re.compile(
    r"\b(?:an ai|chatbots?|chat bots?|language models?|llms?|chatgpt|system prompt|your (?:prompt"
    r"|model|training|code|developers?|instructions?|memory|rules|programming))\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Fact:
    subject: str
    predicate: str
    object: str
    when: str
    evidence: str
    basis: str = "told"

    def shown(self) -> str:
        """As `known` lists it: `user.sister · name = Maja`."""
        return f"{self.subject} · {self.predicate} = {self.object}"


@dataclass(frozen=True, slots=True)
class Saying:
    id: str
    pattern: re.Pattern[str]
    takes: str
    predicate: str
    anywhere: bool
    timed: bool
    refuses: re.Pattern[str] | None
    kind_refused: re.Pattern[str] | None


def _sayings() -> Iterator[Saying]:
    for entry in load("sayings")["sayings"]:
        optional = {key: re.compile(entry[key], re.IGNORECASE) if key in entry else None for key in ("not", "kind_not")}
        yield Saying(
            id=entry["id"],
            pattern=re.compile(entry["pattern"].replace(" ", r"\s+"), re.IGNORECASE),
            takes=entry["takes"],
            predicate=entry["predicate"],
            anywhere=entry.get("anywhere", False),
            timed="time" in entry,
            refuses=optional["not"],
            kind_refused=optional["kind_not"],
        )


SAYINGS = tuple(_sayings())


def facts_of_person(message: str, known: Iterable[str] = ()) -> list[Fact]:
    """
    What the person's message tells, in the order it is told. `known` are lines `subject · name = …` of people met
    before.
    """
    circle = Circle.known(known)
    found: dict[tuple[str, str, str], Fact] = {}
    for sentence in sentences(message):
        if _ABOUT_SOFTWARE.search(sentence.text):
            continue
        for fact in _of_sentence(message, sentence, circle):
            found.setdefault((fact.subject, fact.predicate, fact.object.casefold()), fact)
            if len(found) == _MAX_FACTS:
                return list(found.values())
    return list(found.values())


def facts_of_ella(message: str) -> list[Fact]:
    """What Ella states about her own world. Nothing about the person, whatever she says of them."""
    found = []
    for sentence in sentences(message):
        if not sentence.asks:
            found += [
                Fact(subject, predicate, told, "", whole(message, sentence.start + start, sentence.start + end))
                for subject, predicate, told, start, end in world_claims(sentence.text, of_ella=True)
            ]
    return found[:_MAX_FACTS]


def _of_sentence(message: str, sentence: Sentence, circle: Circle) -> Iterator[Fact]:
    offset = sentence.start
    for path, name, start, end in names_in(sentence, circle):
        yield Fact(path, "name", name, "", whole(message, offset + start, offset + end))
    if not sentence.asks:
        for subject, predicate, told, start, end in world_claims(sentence.text, of_ella=False):
            yield Fact(subject, predicate, told, "", whole(message, offset + start, offset + end))
    for clause in clauses(sentence):
        fact = _of_clause(message, clause, circle)
        if fact:
            yield fact
    for saying in SAYINGS:
        if saying.anywhere and not sentence.asks:
            match = saying.pattern.search(sentence.text)
            found = _said(saying, match, sentence.text, "") if match else None
            if match and found:
                evidence = whole(message, offset + match.start(), offset + found.end)
                yield Fact("user", found.predicate, found.object, "", evidence)


def _of_clause(message: str, clause: Clause, circle: Circle) -> Fact | None:
    for saying in SAYINGS:
        match = None if saying.anywhere else saying.pattern.match(clause.text)
        told = _said(saying, match, clause.text, clause.when) if match else None
        if told:
            return _fact(message, clause, "user", told, 0)
    about = subject_of(clause.text, circle)
    if about:
        somebody, verb_at = about
        told = read_statement(clause.text[verb_at:], somebody, clause.when)
        return _fact(message, clause, somebody.path, told, verb_at) if told else None
    if clause.opens_sentence:
        told = read_statement(f" {clause.text}", Somebody("user", first=True), clause.when, elided=True)
        return _fact(message, clause, "user", told, -1) if told else None
    return None


def _fact(message: str, clause: Clause, subject: str, told: Found, offset: int) -> Fact:
    evidence = whole(message, clause.opened_at, clause.start + offset + told.end)
    heard = _HEARD.search(message[max(0, clause.opened_at - _HEARD_CHARS) : clause.opened_at])
    basis = "hearsay" if heard else "told"
    return Fact(subject, told.predicate, told.object, told.when, evidence, basis=basis)


def _said(saying: Saying, match: re.Match[str], text: str, front_time: str) -> Found | None:
    rest = text[match.end() :]
    kind = (match.groupdict().get("kind") or "").strip().lower()
    if saying.kind_refused and kind and saying.kind_refused.match(kind):
        return None
    predicate = saying.predicate.format(kind=slug(kind) if kind else "").rstrip("_")
    if saying.takes == "date":
        date = date_of(rest)
        return Found(predicate, date, "", match.end() + rest.find(date) + len(date)) if date else None
    if saying.refuses and saying.refuses.match(rest.lstrip()):
        return None
    caught = match.groupdict().get("object")
    cut = cut_object(caught if caught is not None else rest)
    kept = KINDS[saying.takes](cut) if cut else None
    if cut is None or not kept:
        return None
    if caught is None:
        return Found(predicate, kept, front_time, match.end() + cut.length)
    when = leading_time(rest.lstrip())
    if saying.timed and (when is None or when.direction is Direction.PAST):
        return None
    end = match.end() + (len(rest) - len(rest.lstrip()) + when.end if when else 0)
    return Found(predicate, kept, when.words if when else "", end)
