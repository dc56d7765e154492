"""
Reads what Ella said of herself: a recollection, an intent, an opinion. Said, not true; it never becomes a fact.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from ella.offline.reading.lexicon import COMPANIONS, WORLD_OF
from ella.offline.reading.sentences import sentences, whole
from ella.offline.reading.verbs import tokens

_MOST = 3
_LONGEST = 240
_ABOUT_MOST = 3
_SELF = re.compile(r"(?:^|[\s,;(])(?:I|I'm|I've|I'd|I'll|my|me|myself)(?=[\s,.;!)]|\Z)")
# Said to the other, about the other, or about what she has in front of her: no thought of her own.
_TO_THE_OTHER = re.compile(r"\b(?:you|your|yours|you're|you've|you'd|yourself)\b", re.IGNORECASE)
_TALK = re.compile(
    r"^(?:I(?:'ll| will| shall) (?:remember|keep|ask|note|write that|hold)|I(?:'m| am) (?:glad|happy|sorry|here|listening|delighted|afraid|all ears)\b|I see\b|I hear\b|I know\b|I mean\b|I promise\b"
    r"|I understand\b|I said I\b|I(?:'d| would) (?:only )?be guessing|I(?:'d| would) (?:like|love) to hear|I (?:don't|do not) (?:have|know|remember|seem)\b|I only have\b|I have no\b|I can't (?:say|tell)\b"
    r"|I thought so\b|I hope (?:so|it|that)\b|I agree\b|I like (?:that|how)\b|I read that\b|I had (?:that|it)\b|I have (?:it|that)\b|I'm not a (?:person|human)|I am not a (?:person|human)"
    r"|I owe\b|I won't\b|I would\b|I'd say\b|That's|It's\b)",
    re.IGNORECASE,
)
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


def thoughts_of(message: str) -> list[Thought]:
    """What Ella's message says of herself, at most three, in her first person."""
    found: list[Thought] = []
    for sentence in sentences(message):
        text = sentence.text.strip()
        if sentence.asks or len(text) > _LONGEST or len(text.split()) < 4:
            continue
        if not _SELF.search(text) or _TO_THE_OTHER.search(text) or _TALK.match(text) or _PLACED.match(text):
            continue
        evidence = whole(message, sentence.start, sentence.start + len(text))
        found.append(Thought(evidence.strip(" \"'"), _about(text), _certainty(text), evidence))
        if len(found) == _MOST:
            break
    return found


def _about(text: str) -> tuple[str, ...]:
    """The things of her world it speaks of, as paths; herself when there are none."""
    words = tokens(text)
    pairs = [f"{one} {two}" for one, two in zip(words, words[1:], strict=False)]
    named = ["companion" if word in COMPANIONS else WORLD_OF.get(word, "") for word in (*pairs, *words)]
    return tuple(dict.fromkeys(path for path in named if path))[:_ABOUT_MOST] or ("ella",)


def _certainty(text: str) -> str:
    if _MAYBE.search(text):
        return "maybe"
    return "likely" if _INTENT.search(text) else "happened"
