"""
Reads what changed between the two: hurt, trust, an apology. Only plain words count; thanks and compliments change
nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from ella.offline.reading.lexicon import load
from ella.offline.reading.sentences import Sentence, sentences, whole

_CAUSE_WORDS = 14


@dataclass(frozen=True, slots=True)
class Feeling:
    """`who` and `towards` are "person" or "ella"."""

    who: str
    towards: str
    state: str
    cause: str
    evidence: str


@dataclass(frozen=True, slots=True)
class _Sign:
    pattern: re.Pattern[str]
    refuses: re.Pattern[str] | None
    state: str


def _signs() -> Iterator[_Sign]:
    for entry in load("feelings")["feelings"]:
        refuses = re.compile(entry["not"], re.IGNORECASE) if "not" in entry else None
        yield _Sign(re.compile(entry["pattern"], re.IGNORECASE), refuses, entry["state"])


_SIGNS = tuple(_signs())
_DOUBT = re.compile(r"\b(?:if|would|might|maybe|never|hope|imagine|said|says|told)\b", re.IGNORECASE)


def feelings_of(message: str, who: str, names: dict[str, str]) -> list[Feeling]:
    """What `who` ("person" or "ella") says changed in them towards the other. `names` maps both roles to names."""
    other = "ella" if who == "person" else "person"
    found: list[Feeling] = []
    for sentence in sentences(message):
        if sentence.asks or _DOUBT.search(sentence.text):
            continue
        sign = next((sign for sign in _SIGNS if sign.pattern.search(sentence.text)), None)
        if sign and not (sign.refuses and sign.refuses.search(sentence.text)):
            evidence = whole(message, sentence.start, sentence.start + len(sentence.text))
            state = sign.state.format(other=names[other])
            if all(state != feeling.state for feeling in found):
                found.append(Feeling(who, other, state, _cause(sentence, sign, names[who]), evidence))
    return found[:2]


def _cause(sentence: Sentence, sign: _Sign, name: str) -> str:
    """
    What stands before it in the sentence, where that says something ("thank you for listening"); otherwise its own
    words.
    """
    match = sign.pattern.search(sentence.text)
    before = sentence.text[: match.start()].strip(" ,.;:!-–") if match else ""
    told = before if len(before.split()) >= 2 else sentence.text.strip(" .!")
    return f"{name} said: {' '.join(told.split()[:_CAUSE_WORDS])}"
