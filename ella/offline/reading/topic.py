"""
Finds a short noun phrase to say back: "my new job" → "your new job". When no phrase is surely one, it finds none, and
the reply stays general.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ella.offline.reading.lexicon import COLOURS, EVENTS, OCCUPATIONS, PLACES, THINGS, listed, load
from ella.offline.reading.mirror import to_you
from ella.offline.reading.sentences import sentences
from ella.offline.reading.verbs import forms

_LISTS = load("topics")
_ENDS_PHRASE = frozenset(listed(_LISTS["ends_phrase"])) | forms()
_NO_HEAD = frozenset(listed(_LISTS["no_head"])) | COLOURS
_SENSITIVE = frozenset(listed(_LISTS["sensitive"]))
_NOUNS_IN_ING = frozenset(listed(_LISTS["nouns_in_ing"]))
_TOLD_OF = EVENTS | frozenset(listed(_LISTS["told_of"]))
_PRAISE = frozenset(listed(_LISTS["praise"]))
_ALSO_VERBS = frozenset(listed(_LISTS["also_verbs"]))
_SURE_HEADS = EVENTS | OCCUPATIONS | PLACES | THINGS | frozenset(listed(_LISTS["nouns"])) | _NOUNS_IN_ING
_DETERMINED = re.compile(
    r"(?<![\w'-])(?P<determiner>my|our|the|an?)\s+(?P<words>[a-z'-]+(?:\s+[a-z'-]+){0,4})(?P<after>[^\w\s]|\s|\Z)",
    re.IGNORECASE,
)
_MOST_WORDS = 3


def topic_of(message: str) -> str:
    """A noun phrase of the message in the second person ("your new job", "the support group"), or ""."""
    found = [(rank, phrase) for sentence in sentences(message) for rank, phrase in _phrases(sentence.text)]
    return max(found, key=lambda pair: pair[0])[1] if found else ""


def _phrases(text: str) -> Iterator[tuple[int, str]]:
    for match in _DETERMINED.finditer(text):
        words = _noun_words(match["words"].split())
        if not words:
            continue
        determiner = match["determiner"].lower()
        own = determiner in {"my", "our"}
        if determiner in {"a", "an"} and words[-1].lower() not in _TOLD_OF:
            continue  # "a loving home", "a real gift": said in passing
        phrase = to_you(f"my {' '.join(words)}") if own else f"the {' '.join(words)}"
        yield 2 * own + (len(words) > 1), phrase


def _noun_words(words: list[str]) -> list[str]:
    """The words up to the end of the noun phrase they open with; none when its end or its head is uncertain."""
    kept: list[str] = []
    while words and words[0].lower() in _PRAISE:
        words = words[1:]
    for word in words:
        plain = word.lower()
        if (
            plain in _ENDS_PHRASE
            or (plain.endswith("ly") and plain not in {"family", "fly"})
            or (kept and plain.endswith("ed"))
        ):
            break
        if kept and (plain in _ALSO_VERBS and kept[-1].lower() in _SURE_HEADS):
            break
        if plain.endswith("ing") and plain not in _NOUNS_IN_ING and kept:
            break
        kept.append(word if word.isupper() and len(word) < 7 else plain)
    if not 1 <= len(kept) <= _MOST_WORDS or any(len(word) < 2 or word.strip("'-") != word for word in kept):
        return []
    lowered = {word.lower() for word in kept}
    head = kept[-1].lower()
    last_two = " ".join(word.lower() for word in kept[-2:])
    if lowered & _SENSITIVE or head in _NO_HEAD or not (head in _SURE_HEADS or last_two in _SURE_HEADS):
        return []
    return kept
