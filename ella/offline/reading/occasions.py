"""
Tells what kind of message was written, so that the reply can be of the same kind: good news, a plan, a thank-you, a
question that nothing in the prompt answers. The signs are data;
what is said in answer is chosen elsewhere.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from ella.offline.reading.lexicon import THINGS, load
from ella.offline.reading.questions import Asked, asked_in
from ella.offline.reading.sentences import sentences
from ella.offline.reading.verbs import stem

_SIGNS = load("occasions")


def _compiled(signs: dict[str, list[str]]) -> dict[str, re.Pattern[str]]:
    return {name: re.compile("|".join(patterns), re.IGNORECASE) for name, patterns in signs.items()}


_WHOLE = _compiled(_SIGNS["whole"])
_QUESTIONS = _compiled(_SIGNS["questions"])
_STATEMENTS = _compiled(_SIGNS["statements"])
_OWN_ONLY = frozenset(_SIGNS["own"])
_OPENINGS = _compiled(_SIGNS["short"])
_OWN = re.compile(r"\b(?:i|i'm|i've|i'd|i'll|my|me|we|we're|we've|our|us)\b", re.IGNORECASE)
_PHOTO = re.compile(r"\[(?:photo|image|picture|video)\b", re.IGNORECASE)
_FACTUAL = re.compile(
    r"(?:what|who|when|where|which|how (?:many|much|far|long|tall|big)|why)(?:'s| is| are| was"
    r"| were| do| does| did| has| have)\b",
    re.IGNORECASE,
)
_SHORT_WORDS = 4
_THANKS_WORDS = 5


@dataclass(frozen=True, slots=True)
class Occasion:
    """
    `whole` settles the reply alone; otherwise a question may stand beside a statement. `said` is what was stated,
    without the question.
    """

    whole: str
    question: Asked | None
    statement: str
    said: str
    photo: bool


def occasion_of(message: str) -> Occasion:
    """What was written. `statement` is "" for a message that only asks."""
    flat = " ".join(message.split())
    for name, sign in _WHOLE.items():
        if sign.search(flat):
            return Occasion(name, None, "", "", photo=False)
    asked = asked_in(message)
    told = [
        sentence.text
        for sentence in sentences(message)
        if not sentence.asks and (asked is None or sentence.text != asked.text)
    ]
    said = " ".join(told)
    photo = _PHOTO.search(message) is not None
    empty = not sentences(message) and not photo
    if empty or not any(letter.isalnum() for letter in message):
        return Occasion("nothing", None, "", "", photo)
    return Occasion("", asked, _statement(told, photo=photo, alone=asked is None), said, photo)


def question_kind(asked: Asked) -> str:
    """What to say to a question that the prompt does not answer."""
    bare = asked.bare.strip()
    for name, sign in _QUESTIONS.items():
        if sign.search(bare) or sign.search(asked.text.rstrip(" ?!.")):
            return "reflection" if name == "tagged" else name
    if "promise" in asked.text.lower():
        return "unknown_promise"
    if thing_asked(asked):
        return "unknown_thing"
    if asked.yours and not asked.reminding:
        return "ask_her_unknown"
    if asked.mine or asked.reminding:
        return "unknown_person"
    return "unknown_general" if _FACTUAL.match(bare) and asked.words else "ask_her_unknown"


def thing_asked(asked: Asked) -> str:
    """The thing whose place is asked for ("phone"), or ""."""
    if not re.search(r"\bwhere\b|\bhave you seen\b", asked.bare, re.IGNORECASE):
        return ""
    wanted = set(asked.words)
    named = [
        thing
        for thing in THINGS
        if {stem(word) for word in thing.split()} <= wanted
        and re.search(rf"\b{re.escape(thing)}\b", asked.bare, re.IGNORECASE)
    ]
    return max(named, key=len, default="")


def _statement(told: list[str], *, photo: bool, alone: bool) -> str:
    if not told:
        return "photo" if photo else ""
    thanked = [text for text in told if len(text.split()) <= _THANKS_WORDS and _STATEMENTS["thanks"].search(text)]
    rest = [text for text in told if text not in thanked]
    if thanked and rest:  # "Thanks! I lost my keys": the thanks are the smaller part of it
        kind = _statement(rest, photo=photo, alone=alone)
        return "thanks" if kind in {"general", "greeting"} or kind.startswith("short") else kind
    flat = " ".join(told)
    words = flat.split()
    if _OPENINGS["greeting"].search(flat) and (len(words) <= 5 or "say hi" in flat.lower()) and not _OWN.search(flat):
        return "greeting" if alone else ""
    leaving = next((name for name in ("goodbye", "thanks") if _STATEMENTS[name].search(flat)), "")
    if len(words) <= _SHORT_WORDS and not leaving:
        short = next((name for name in ("laugh", "no", "yes") if _OPENINGS[name].match(flat)), "")
        if short:
            return short if short == "laugh" else f"short_{short}"
    for name, sign in _STATEMENTS.items():
        for text in told:
            if sign.search(text) and (name not in _OWN_ONLY or _OWN.search(text)):
                return name
    return "photo" if photo else "general"
