"""
Finds what is asked, and of whom: the last question of a message, stripped of its politeness, with what could answer it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from ella.offline.reading.lexicon import load
from ella.offline.reading.sentences import sentences
from ella.offline.reading.verbs import content, stem

_DATA = load("questions")
_POLITE = re.compile(
    r"(?:(?:hey|hi|hello|so|and|but|oh|ok|okay|ella|by the way|btw|also|well|please|just|now|wait"
    r"|anyway|quick question|um|hmm)\b[\s,:;-]*"
    r"|(?:can|could|would|will) you (?:please )?(?:tell|remind) me\b(?: again)?,?\s*"
    r"|do you (?:still |even )?(?:remember|know|recall)\b,?\s*|(?:please )?(?:tell"
    r"|remind) me(?: again)?,?\s+"
    r"|any idea\s+|i forgot\s+|i(?:'ve| have) forgotten\s+|i can't remember\s+|what was it again,?\s+)",
    re.IGNORECASE,
)
_ASKING = re.compile(
    r"(?:what|where|who|whom|whose|which|when|how|why|did|do|does|is|are|was|were|have|has|can"
    r"|could|would|will|should|shall|am)\b|what's|where's|who's|when's|how's",
    re.IGNORECASE,
)
_ORDERED = re.compile(
    r"(?:please )?(?:remind me|tell me) (?:again )?(?:what|where|who|which|when|how|of|about)\b"
    r"|i (?:forgot|can't remember|have forgotten) (?:what|where|who|which|when)\b",
    re.IGNORECASE,
)
_MINE = re.compile(r"\b(?:my|mine|i|i've|me|our|we)\b", re.IGNORECASE)
_YOURS = re.compile(r"\b(?:your|yours|you|you've|you're)\b", re.IGNORECASE)
_MEANT_YOU = re.compile(r"(?:got|any|ever|need|wanna|want|playing|doing|going|still|y'all)\b", re.IGNORECASE)
_TOLD_YOU = re.compile(r"\b(?:did i|i) (?:tell|told) you\b|\bdo you (?:know|remember)\b", re.IGNORECASE)
_REMINDING = re.compile(_DATA["reminding"], re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Asked:
    """`bare` is the question without its politeness; `words` are the telling words an answer has to have in it."""

    text: str
    bare: str
    words: tuple[str, ...]
    predicates: frozenset[str]
    kind: str
    mine: bool
    yours: bool
    reminding: bool


def asked_in(message: str) -> Asked | None:
    """
    The last question of a message, or nothing. "Remind me what my sister is called" is one, with or without its mark.
    """
    found = [sentence.text for sentence in sentences(message) if _asks(sentence.text, marked=sentence.asks)]
    return _understood(found[-1]) if found else None


def _asks(text: str, *, marked: bool) -> bool:
    bare = _stripped(text)
    if marked:
        return len(bare) > 1
    return _ORDERED.match(text.lstrip()) is not None or (
        len(bare.split()) > 2
        and re.match(
            r"(?:what|where|who|when|how|which|did|do) (?:is|are|was|did|do|does|i|you|my)\b"
            r"|(?:what|where|who|when)'s (?:my|your|the)\b",
            bare,
            re.IGNORECASE,
        )
        is not None
    )


def _understood(text: str) -> Asked:
    last = next((part for part in reversed(re.split(r"[,;–—]\s+|\s-\s", text)) if _ASKING.match(_stripped(part))), text)
    bare = _stripped(last).rstrip(" ?!.")
    entry = next((entry for entry in _DATA["asks"] if re.search(entry["pattern"], bare, re.IGNORECASE)), None)
    dropped = {stem(word) for word in entry["drop"]} | set(entry["drop"]) if entry else set()
    words = tuple(word for word in dict.fromkeys(content(bare)) if word not in dropped)
    return Asked(
        text=text,
        bare=bare,
        words=words,
        predicates=frozenset(entry["predicates"]) if entry else frozenset(),
        kind=entry["id"] if entry else "",
        mine=_MINE.search(bare) is not None,
        yours=_MEANT_YOU.match(bare) is not None or _YOURS.search(_TOLD_YOU.sub("", bare)) is not None,
        reminding=_REMINDING.search(text) is not None and (_MINE.search(text) is not None or not _YOURS.search(bare)),
    )


def _stripped(text: str) -> str:
    text = text.strip()
    for _ in range(5):
        polite = _POLITE.match(text)
        if polite is None or polite.end() == len(text):
            break
        text = text[polite.end() :]
    return text
