"""
The rules of `data/facts.yaml` and `data/happenings.yaml`, compiled, and the one way they are applied to a clause.
What they say is data; nothing here knows a predicate.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from ella.offline.reading.kinds import KINDS, date_of
from ella.offline.reading.lexicon import alternation, listed, load
from ella.offline.reading.objects import Object, cut_object
from ella.offline.reading.people import Somebody
from ella.offline.reading.timewords import Direction, When, leading_time

_MACROS = {
    "{be}": r"(?:'m|'re|'s|\s+(?:am|are|is))",
    "{have}": r"(?:'ve|'s|\s+(?:have|has))",
    "{adv}": r"(?:\s+(?:really|just|also|now|currently|still|always|absolutely|recently|finally|totally"
    r"|definitely|actually|both|all|even|truly|originally|mostly|only"
    r"|officially|already|mainly|usually|so|too)){0,2}",
    "{did}": rf"(?:{alternation(listed(load('verbs')['did']))})\b",
    "{project}": rf"(?:{alternation(listed(load('verbs')['project']))})\b",
}
# A habit has no date, whatever day it names.
_HABIT = re.compile(
    r"\b(?:every|each|usually|often|always|sometimes|normally|most|weekly|daily|(?:on )?(?:mon"
    r"|tues|wednes|thurs|fri|satur|sun)days)\b",
    re.IGNORECASE,
)
_ONLY_A_CLOCK = re.compile(r"(?:at|around|by)\s", re.IGNORECASE)  # "I start at 9" is a routine
_SINGLE_ACTION = frozenset({"activity", "event"})


@dataclass(frozen=True, slots=True)
class Rule:
    id: str
    phrase: re.Pattern[str]
    refuses: re.Pattern[str] | None
    takes: str
    predicate: str
    time: str
    keep: str
    first_only: bool
    elided: bool


@dataclass(frozen=True, slots=True)
class Found:
    """What a rule read. `end` is where its words end, counted from the start of the text it was given."""

    predicate: str
    object: str
    when: str
    end: int


def _spelled(pattern: str) -> str:
    for macro, meaning in _MACROS.items():
        pattern = pattern.replace(macro, meaning.replace(" ", "\x00"))
    return pattern.replace(" ", r"\s+").replace("\x00", " ")


def _compiled(entry: dict[str, Any]) -> Rule:
    begins = "|".join(map(_spelled, entry.get("begins", ())))
    phrase = rf"(?:{_spelled(entry['phrase'])})\s+" + (f"(?={begins})" if begins else "")
    refuses = entry.get("not")
    return Rule(
        id=entry["id"],
        phrase=re.compile(phrase, re.IGNORECASE),
        refuses=re.compile(_spelled(refuses), re.IGNORECASE) if refuses else None,
        takes=entry["takes"],
        predicate=entry["predicate"],
        time=entry.get("time", ""),
        keep=entry.get("keep", ""),
        first_only=entry.get("who") == "first",
        elided=entry.get("elided", False),
    )


RULES: tuple[Rule, ...] = tuple(_compiled(entry) for name in ("facts", "happenings") for entry in load(name)["rules"])


def read_statement(text: str, somebody: Somebody, front_time: str, *, elided: bool = False) -> Found | None:
    """
    What the words after a subject tell of it: the first rule that gives something, or nothing.

    `text` begins right after the subject ("'m a nurse", " moved to Porto"); `front_time` is a time that stood before
    it.
    """
    for rule in RULES:
        if (rule.first_only and not somebody.first) or (elided and not rule.elided):
            continue
        match = rule.phrase.match(text)
        if match is None or (rule.refuses and rule.refuses.match(text, match.end())):
            continue
        found = _applied(rule, match, text, front_time)
        if found:
            return found
    return None


def _applied(rule: Rule, match: re.Match[str], text: str, front_time: str) -> Found | None:
    rest = text[match.end() :]
    if rule.takes == "date":
        date = date_of(rest)
        return Found(rule.predicate, date, "", match.end() + rest.find(date) + len(date)) if date else None
    cut = cut_object(rest, single_action=rule.takes in _SINGLE_ACTION)
    kept = KINDS[rule.takes](cut) if cut else None
    if cut is None or not kept:
        return None
    when, end = _time_beside(cut, rest, front_time)
    if not _fits(rule.time, when) or (rule.time and _HABIT.search(text[: match.end() + end])):
        return None
    if when and not rule.time and _HABIT.search(text[: match.end() + end]):
        when = None
    front = rule.keep.replace("{verb}", match.groupdict().get("verb") or "").lower()
    return Found(rule.predicate, f"{front} {kept}".strip(), when.words if when else "", match.end() + end)


def _time_beside(cut: Object, rest: str, front_time: str) -> tuple[When | None, int]:
    """
    The time named in the object, right after it ("an interview, on Friday") or in front of the clause, and where the
    words used end.
    """
    if cut.when:
        return cut.when, cut.length
    gap = len(rest[cut.length :]) - len(rest[cut.length :].lstrip(" ,"))
    after = leading_time(rest[cut.length + gap :])
    if after:
        return after, cut.length + gap + after.end
    return (When(front_time, 0, len(front_time)) if front_time else None), cut.length


def _fits(wanted: str, when: When | None) -> bool:
    if not wanted:
        return True
    if when is None or when.is_now or _ONLY_A_CLOCK.match(when.words):
        return False
    refused = Direction.PAST if wanted == "future" else Direction.FUTURE
    if wanted == "future" and when.words.lower() in {"today", "this morning"}:
        return False
    return when.direction is not refused
