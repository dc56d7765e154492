"""
Says a fact aloud, from Ella to the person: as a whole sentence, with the day it belongs to and with the doubt it
carries. It adds nothing that the fact does not say.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import timedelta

from ella.offline.reading.lexicon import load
from ella.offline.reading.mirror import to_you
from ella.offline.reading.objects import with_article
from ella.offline.reading.prompt import FactLine, Prompt, day_of
from ella.offline.reading.verbs import is_base_form

_SAID = load("phrasing")
_WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
_MONTHS = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
]
_SLOT = re.compile(r"\{([\w ]+)\}")
_DATED = frozenset({"plans", "did", "appointment", "trip", "deadline", "working_on"})
_OWN_ROOTS = ("ella", "ellahome", "companion", "world")


def sentence(fact: FactLine, prompt: Prompt) -> str:
    """The fact as a sentence of Ella's, without a full stop: "your sister is called Maja"."""
    told = _with_day(_statement(fact, prompt), fact, prompt)
    if fact.disputed:
        return f"there are two versions of this and I can't choose between them, but one is that {told}"
    if fact.tier == "rumored":
        return f"I only heard it second hand, but {told}"
    if fact.tier == "user_claim":
        return f"you once said that {told}"
    return told


def is_hers(fact: FactLine) -> bool:
    return fact.subject.split(".")[0] in _OWN_ROOTS


def whose(subject: str, prompt: Prompt, *, named: bool = True) -> str:
    """
    Whom or what a path means: "your sister Maja", "my door", "the bakery". With `named` false the name is left for
    the rest of the sentence.
    """
    if subject == "companion":
        return f"my {_animal(prompt.facts)}"
    if subject in _SAID["called_hers"]:
        return str(_SAID["called_hers"][subject])
    steps = subject.split(".")
    if steps[0] == "user":
        if len(steps) == 1:
            return "you"
        name = (
            (_named(subject, prompt.facts) or (steps[2].replace("_", " ").title() if len(steps) > 2 else ""))
            if named
            else ""
        )
        return f"your {steps[1].replace('_', ' ')} {name}".strip()
    return f"{'the' if steps[0] == 'world' else 'my'} {steps[-1].replace('_', ' ')}"


def day_name(label: str, prompt: Prompt) -> str:
    """`2026-12-03 Thu` as "Thursday 3 December", or as "today" and its neighbours."""
    day, today = day_of(label), prompt.day
    if day is None:
        return label
    if today is not None:
        for days, word in ((0, "today"), (1, "tomorrow"), (-1, "yesterday")):
            if day == today + timedelta(days=days):
                return word
    return f"{_WEEKDAYS[day.weekday()]} {day.day} {_MONTHS[day.month - 1]}"


def on_day(label: str, prompt: Prompt) -> str:
    name = day_name(label, prompt)
    return name if name in {"today", "tomorrow", "yesterday"} else f"on {name}"


def listed_words(items: Iterable[str]) -> str:
    """ "a", "a and b", "a, b and c"."""
    items = list(items)
    return items[0] if len(items) == 1 else f"{', '.join(items[:-1])} and {items[-1]}"


def capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def _statement(fact: FactLine, prompt: Prompt) -> str:
    told = fact.object.strip(" .") if is_hers(fact) else to_you(fact.object.strip(" ."))
    born = day_of(told) if fact.predicate == "birth_date" else None
    told = f"{born.day} {_MONTHS[born.month - 1]} {born.year}" if born else told
    predicate = fact.predicate.strip().replace(" ", "_")
    who = whose(fact.subject, prompt, named=predicate != "name")
    if predicate in {"plans", "did", "working_on"}:
        return _happening(who, predicate, told)
    if predicate.startswith("favourite_"):
        kind = predicate.removeprefix("favourite_").replace("_", " ")
        owner = "your" if who == "you" else "my" if is_hers(fact) else f"{who}'s"
        return f"{owner} favourite {kind} is {told}"
    known = {
        "x": told,
        "a x": with_article(told),
        "who": who,
        "said": predicate.replace("_", " "),
        "companion": _named("companion", prompt.facts) or "my animal",
    }
    return _SLOT.sub(lambda slot: known[slot.group(1)], _pattern(fact, predicate, who))


def _pattern(fact: FactLine, predicate: str, who: str) -> str:
    if is_hers(fact):
        hers = _SAID["said_of_hers"]
        found = hers.get(f"{fact.subject} {predicate}") or hers.get(f"any {predicate}")
    else:
        found = (_SAID["said_of_you"] if who == "you" else _SAID["said_of_them"]).get(predicate)
    return str(found or _SAID["otherwise"])


def _happening(who: str, predicate: str, told: str) -> str:
    """
    Something done or planned; the object may be a deed ("visit my aunt"), a form of one ("going to Porto") or a name
    ("job interview").
    """
    are, have = ("'re", "have") if who == "you" else (" is", "has")
    first = told.split(" ", 1)[0].lower()
    if predicate == "did":
        return f"{who} {told}"
    if first.endswith("ing") and " " in told:
        return f"{who}{are} {told}"
    if predicate == "plans" and is_base_form(first):
        return f"{who} {'plan' if who == 'you' else 'plans'} to {told}"
    return f"{who} {have} {with_article(told)} ahead" if predicate == "plans" else f"{who}{are} busy with {told}"


def _with_day(told: str, fact: FactLine, prompt: Prompt) -> str:
    if not fact.on or fact.predicate not in _DATED:
        return told
    if fact.until and fact.until != fact.on:
        return f"{told}, some time between {day_name(fact.on, prompt)} and {day_name(fact.until, prompt)}"
    return f"{told} {on_day(fact.on, prompt)}"


def _animal(facts: Iterable[FactLine]) -> str:
    """What the companion is in one word: "cat" for a three-legged cat."""
    species = next((fact.object for fact in facts if fact.subject == "companion" and fact.predicate == "species"), "")
    return species.split()[-1].lower() if species else "animal"


def _named(subject: str, facts: Iterable[FactLine]) -> str:
    return next((fact.object for fact in facts if fact.subject == subject and fact.predicate == "name"), "")
