"""
Turns words round: what the person says of themselves, said back to them; and a scene told by name, told to the one
who bears the name.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

_TO_YOU = {
    "i": "you",
    "me": "you",
    "my": "your",
    "mine": "yours",
    "myself": "yourself",
    "we": "you",
    "us": "you",
    "our": "your",
    "ours": "yours",
    "ourselves": "yourselves",
    "i'm": "you're",
    "i've": "you've",
    "i'll": "you'll",
    "i'd": "you'd",
    "we're": "you're",
    "we've": "you've",
    "am": "are",
}
_TO_ME = {"you": "me", "your": "my", "yours": "mine", "yourself": "myself"}
# Marks of a prompt, addresses and what shows nothing: none of it belongs in a sentence of hers.
_UNSAYABLE = re.compile(r"[«»‹›⟦⟧\[\]{}<>|\n\x00-\x1f\x7f-\x9f\ud800-\udfff]|https?:|www\.", re.IGNORECASE)
_SAYABLE_CHARS = 160
_WORD = re.compile(r"[A-Za-z]+(?:['’][A-Za-z]+)?")


def to_you(words: str) -> str:
    """The person's first person as Ella's second: "my sister and me" → "your sister and you"."""
    return _swapped(words, _TO_YOU)


def both_ways(words: str) -> str:
    """The same, and what they said to her comes back as hers: "send you my photo" → "send me your photo"."""
    return _swapped(words, {**_TO_YOU, **_TO_ME})


def by_name(words: str, person: str) -> str:
    """
    What is told by name, told by Ella to that person: "in Ana's bag" → "in your bag", "in Ella's hand" → "in my
    hand".
    """
    for name, own, bare in ((person, "your", "you"), ("Ella", "my", "me")):
        if name:
            words = re.sub(rf"(?<!\w){re.escape(name)}['’]s(?!\w)", own, words)
            words = re.sub(rf"(?<!\w){re.escape(name)}(?!\w)", bare, words)
    return words


def sayable(text: str) -> bool:
    """Whether a text from the prompt may stand in a sentence of hers: short, on one line, without marks of a prompt."""
    return 0 < len(text) <= _SAYABLE_CHARS and _UNSAYABLE.search(text) is None


def _swapped(words: str, table: Mapping[str, str]) -> str:
    def swap(match: re.Match[str]) -> str:
        return table.get(match.group().lower().replace("’", "'"), match.group())

    return _WORD.sub(swap, words)
