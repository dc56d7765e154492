"""
Reads what Ella said of herself: a recollection, an intent, an opinion. Said, not true; it never becomes a fact.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import pairwise

from ella.offline.reading.lexicon import COMPANIONS, WORLD_OF, alternation, listed, load
from ella.offline.reading.sentences import sentences, whole
from ella.offline.reading.verbs import tokens

_MOST = 3
_LONGEST = 240
_ABOUT_MOST = 3
_TELLS = load("verbs")
# She tells something of herself: what she did, is at, keeps thinking, would like.
_SELF = re.compile(
    rf"^(?:(?:today|this morning|this afternoon|yesterday|last night|tonight),? )?(?:I(?:'ve"
    rf"| have)(?: just| only| also)? (?:been \w+ing|{alternation(listed(_TELLS['did']))})(?![\w'])"
    rf"|I(?: just| only| also"
    rf"| still)? (?:{alternation(listed(_TELLS['did'] + ', ' + _TELLS['told_by_ella']))})(?![\w'])"
    rf"|I(?:'m| am)(?: just| still)? (?:[a-z]+ing\b|on my\b)|I'd (?:like|love) to\b"
    rf"|My \w+ (?!is called|is named))"
    r"|, (?:so|and|but) I(?:'m|'ve| am| have)\b",
    re.IGNORECASE,
)
# Said to the other, about the other, or about what she has just been told: no thought of her own.
_TO_THE_OTHER = re.compile(r"\b(?:you|your|yours|you're|you've|you'd|yourself)\b", re.IGNORECASE)
_TALK = re.compile(
    r"\b(?:about|of|on|to) (?:that|this)\b|^(?:I(?:'m| am) (?:glad|happy|sorry|listening|afraid"
    r"|following|asking|reading slowly)\b|I (?:said|promised|heard that|read that|had that"
    r"|think (?:so|that's|it)|thought so|remember)\b"
    r"|I(?:'d| would) (?:like|love) to (?:hear|know|see|be told)\b|My mistake\b"
    r"|I had (?:been wondering|wondered|to think)\b|I see it\b)",
    re.IGNORECASE,
)
_NAMED = re.compile(r"(?P<path>(?:companion|world|ellahome)[\w.]*) · name = (?P<name>.{1,60})")
_MAYBE = re.compile(r"\b(?:think|suppose|wonder|maybe|perhaps|might|probably|guess|seems?)\b", re.IGNORECASE)
_INTENT = re.compile(
    r"\b(?:I'll|I will|I'd like|I want|I mean to|I'm going to|going to|I plan|tomorrow|I should|I must|hope)\b",
    re.IGNORECASE,
)
_PLACED = re.compile(r"^I(?:'m| am) (?:in|at|on|by)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Thought:
    content: str
    about: tuple[str, ...]
    certainty: str  # "happened", "likely" or "maybe"
    evidence: str


def thoughts_of(message: str, known: Iterable[str] = ()) -> list[Thought]:
    """
    What Ella's message says of herself, at most three, in her first person. `known` are lines `companion · name = …`
    that tell who is meant by a name.
    """
    names = {match["name"].casefold(): match["path"] for match in map(_NAMED.fullmatch, known) if match}
    found: list[Thought] = []
    for sentence in sentences(message):
        text = sentence.text.strip()
        if sentence.asks or len(text) > _LONGEST or len(text.split()) < 4:
            continue
        if not _SELF.search(text) or _TO_THE_OTHER.search(text) or _TALK.match(text) or _PLACED.match(text):
            continue
        evidence = whole(message, sentence.start, sentence.start + len(text))
        found.append(Thought(evidence.strip(" \"'"), _about(text, names), _certainty(text), evidence))
        if len(found) == _MOST:
            break
    return found


def _about(text: str, names: Mapping[str, str]) -> tuple[str, ...]:
    """The things of her world it speaks of, as paths; herself when there are none."""
    words = tokens(text)
    pairs = [f"{one} {two}" for one, two in pairwise(words)]
    named = [
        "companion" if word in COMPANIONS else WORLD_OF.get(word) or names.get(word, "") for word in (*pairs, *words)
    ]
    return tuple(dict.fromkeys(path for path in named if path))[:_ABOUT_MOST] or ("ella",)


def _certainty(text: str) -> str:
    if _MAYBE.search(text):
        return "maybe"
    return "likely" if _INTENT.search(text) else "happened"
