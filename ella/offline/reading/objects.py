"""
Cuts what a statement is about out of the rest of its sentence: short, without the clause that follows, without times,
fillers and pronouns.

It refuses rather than guesses: a cut that leaves only a pronoun, a filler or half a thought gives nothing.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from ella.offline.reading.lexicon import either
from ella.offline.reading.timewords import When, without_times

MAX_WORDS = 10

_PRONOUNS = either("objects", "pronouns")
_STOP = re.compile(
    r"[,;:()!?\n]|\.(?=\s|\Z)|…|\s[-–—]{1,3}\s|[–—]|--|-\s|\s\*|\s?[\U0001F300-\U0001FAFF☀-➿]"
    rf"|\s+{either('objects', 'ends')}\b"
    rf"|\s+(?:and|or|&|then)\s+(?=(?:{_PRONOUNS}|{either('objects', 'after_and')})\b)"
    rf"|\s+(?={_PRONOUNS}\s+{either('objects', 'after_pronoun')}\b)"
    r"|\s+(?=(?:i|i'm|i've|we|it's|he's|she's|they|they're|i'd|we're|we've)\b)",
    re.IGNORECASE,
)
_AND = re.compile(r"\s+(?:and|&)\s+", re.IGNORECASE)
_TRAILING = re.compile(rf"[\s\"'.]*\b{either('objects', 'trailing')}[\s.]*\Z", re.IGNORECASE)
_LEADING = re.compile(rf"{either('objects', 'leading')}\s+", re.IGNORECASE)
_VAGUE = re.compile(rf"{either('objects', 'vague')}\b", re.IGNORECASE)
_ARTICLE = re.compile(r"(?:an?|the|some|my|our)\s+", re.IGNORECASE)
_DETERMINERS = (
    "a ",
    "an ",
    "the ",
    "my ",
    "your ",
    "his ",
    "her ",
    "our ",
    "their ",
    "two ",
    "three ",
    "four ",
    "some ",
    "at ",
    "in ",
)
_CUT_BEFORE = re.compile(
    r"\s+(?:in|on|at|to|for|with|of|from|by|about|near|around|during|through|into|over|and|or|to\s+\w+)\s",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Object:
    """What was said, and the time named inside it. `length` is how much of the text it took, for the evidence."""

    text: str
    when: When | None
    length: int

    @property
    def words(self) -> list[str]:
        return self.text.split()

    @property
    def head(self) -> str:
        """Its last word, lower case: what a noun phrase is."""
        return self.words[-1].lower().strip("\"'.") if self.text else ""


def cut_object(text: str, *, single_action: bool = False) -> Object | None:
    """
    What `text` opens with, up to the end of its clause, or nothing.

    With `single_action` every "and" ends it: "went to the market and bought bread" tells two things. At most
    `MAX_WORDS` words; a longer one is cut before a preposition.
    """
    stop = _STOP.search(text)
    length = stop.start() if stop else len(text)
    if single_action:
        joined = _AND.search(text, 0, length)
        length = joined.start() if joined else length
    told, when = without_times(text[:length])
    told = _trimmed(told)
    told = _shortened(told)
    if not told or _VAGUE.fullmatch(told) or not any(letter.isalnum() for letter in told):
        return None
    return Object(told, when, length)


def opens_vaguely(text: str) -> bool:
    """Whether an object begins with a word that points elsewhere ("it", "your", "the way …")."""
    return _VAGUE.match(text) is not None


def without_article(text: str) -> str:
    match = _ARTICLE.match(text)
    return text[match.end() :] if match else text


def with_article(words: str) -> str:
    """`words` after "a" or "an", unless they have a determiner or are a name."""
    first = words.split(" ", 1)[0]
    spelled_out = len(first) > 1 and first.isupper()  # "LGBTQ": its letters are said one by one
    if words.lower().startswith(_DETERMINERS) or (words[:1].isupper() and not spelled_out):
        return words
    vowel = words[:1] in "AEFHILMNORSX" if spelled_out else words[:1].lower() in "aeiou"
    return f"{'an' if vowel else 'a'} {words}"


def _trimmed(text: str) -> str:
    text = text.strip(" \n\"'.*_~")
    for _ in range(4):
        lead = _LEADING.match(text)
        if lead is None:
            break
        text = text[lead.end() :]
    for _ in range(6):
        tail = _TRAILING.search(text)
        if tail is None:
            break
        text = text[: tail.start()].rstrip()
    return text.strip(" \n.*_~'")


def _shortened(text: str) -> str:
    words = text.split()
    if len(words) <= MAX_WORDS:
        return text
    room = " ".join(words[:MAX_WORDS])
    cuts = [match.start() for match in _CUT_BEFORE.finditer(f"{room} ")]
    return _trimmed(room[: cuts[-1]]) if cuts and cuts[-1] > 0 else ""
