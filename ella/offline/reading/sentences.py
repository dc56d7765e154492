"""
Cuts a message into sentences and clauses without losing where they stood, so that every reading can quote its
evidence letter for letter.

What is not the writer's own plain talk is blanked out first, character by character: descriptions of photos,
addresses, code, longer quotations, and anything that
imitates a prompt's labels or data lines. Nothing blanked out is ever read.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice

from ella.offline.reading.lexicon import either
from ella.offline.reading.timewords import leading_time

# Of a very long message the beginning and the end are read, where people tell and ask; a reading must stay quick.
_HEAD_CHARS = 3_000
_TAIL_CHARS = 1_500
_READ_SENTENCES = 120
_SENTENCE_CHARS = 420
_CLAUSES_MOST = 24  # of one sentence; what has more is a list or noise
_TITLE_WORDS = 8

_STRAIGHT = str.maketrans(
    {"’": "'", "‘": "'", "´": "'", "“": '"', "”": '"', "„": '"', "\u00a0": " ", "\t": " ", "\u202f": " "}
)
_BLANKED = (
    re.compile(r"```.{0,8000}?(?:```|\Z)", re.DOTALL),
    re.compile(r"`[^`\n]{1,200}`"),
    re.compile(r"\[(?:photo|image|picture|video|voice)\b[^\]\n]{0,400}\]?", re.IGNORECASE),
    re.compile(r"(?:https?://|www\.)\S{1,600}", re.IGNORECASE),
    re.compile(r"^[^\n]{0,400}[«»‹›⟦⟧<>{}|][^\n]{0,4000}$", re.MULTILINE),
    re.compile(r"^[ ]{0,8}[\[［【]?[A-Z][A-Z /_-]{5,60}[\]］】]?:?[ ]{0,8}$", re.MULTILINE),
    re.compile(r"\[[^\]\n]{0,400}\]?"),
    re.compile(r"^[ ]{0,4}>[^\n]{0,4000}$", re.MULTILINE),
)
_QUOTED = re.compile(r'"([^"\n]{0,600})"')
_UNPRINTED = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ud800-\udfff]")
_END = re.compile(r"[.!?…]+[\"')]{0,3}(?=\s|\Z)|\n+")
_SHORTENED = re.compile(rf"\b{either('clauses', 'shortened')}\.\Z", re.IGNORECASE)

_JOINT = re.compile(
    r"\s*[,;:()]\s*|\s+[-–—]{1,3}\s+|\s*[–—]\s*|--|-\s+(?=(?:i|we|my|it|that)\b)"
    r"|\s+(?=(?:and|but|so|because|cause|'cause|since|though|although|then|now that)\s+(?:i|i'm"
    r"|i've|we|we're|we've|my|our|she|he|they|the)\b)",
    re.IGNORECASE,
)
# "well, " and its like, or a name being called ("Ella, I …").
_LEAD_IN = re.compile(
    rf"{either('clauses', 'lead_ins')}(?:\s*[,:!.]\s*|\s+|-\s+)"
    r"|(?!(?:i|we|my|our|she|he|they|it)\b)[^\W\d_]{2,20}\s*,\s+(?=(?:i|i'm|i've|we|we're|my|our)\b)",
    re.IGNORECASE,
)
_UNREAL = re.compile(rf"\b{either('clauses', 'unreal')}\b", re.IGNORECASE)
_REPORTED = re.compile(rf"\b{either('clauses', 'reported')}\b", re.IGNORECASE)
# What follows stands on its own, whatever was only supposed before it: "I wish I was a nurse, but I'm a baker".
_FRESH_START = re.compile(r"[;–—]|--|\s-|(?:but|so)\b", re.IGNORECASE)
_KIDDING = re.compile(rf"\b{either('clauses', 'kidding')}\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Sentence:
    """`text` is what may be read, on one line; `start` is where it stands in the message."""

    text: str
    start: int
    asks: bool


@dataclass(frozen=True, slots=True)
class Clause:
    """
    A place in a sentence where a statement may begin: `text` runs from there to the end of the sentence, lead-ins
    taken off.
    """

    text: str
    start: int  # of `text`, in the message
    opened_at: int  # where its evidence begins: before `start` when a time stands in front
    when: str  # the time in front of it ("Last Friday, I went …"), "" when there is none
    opens_sentence: bool


def readable(message: str) -> str:
    """
    `message` with the same length and positions, in which everything that is not the writer's own plain talk is a
    line break.
    """
    if (skipped := len(message) - _HEAD_CHARS - _TAIL_CHARS) > 0:
        message = f"{message[:_HEAD_CHARS]}{chr(10) * skipped}{message[-_TAIL_CHARS:]}"
    text = _UNPRINTED.sub(" ", message.translate(_STRAIGHT))
    for pattern in _BLANKED:
        text = pattern.sub(_blank, text)
    return _QUOTED.sub(
        lambda match: match.group() if len(match.group(1).split()) <= _TITLE_WORDS else _blank(match), text
    )


def _blank(match: re.Match[str]) -> str:
    return "\n" * len(match.group())


@lru_cache(maxsize=128)
def sentences(message: str) -> tuple[Sentence, ...]:
    """The sentences of a message that may be read at all. A message that says it is joking has none."""
    text = readable(message)
    if _KIDDING.search(text):
        return ()
    found: list[Sentence] = []
    begun = 0
    for end in (*(match.end() for match in _END.finditer(text)), len(text)):
        if end < len(text) and _SHORTENED.search(text[max(begun, end - 8) : end]):
            continue
        piece = text[begun:end]
        body = piece.strip()
        if body:
            start = begun + len(piece) - len(piece.lstrip())
            found.append(Sentence(body[:_SENTENCE_CHARS], start, "?" in body[-4:]))
        begun = end
        if len(found) == _READ_SENTENCES:
            break
    return tuple(found)


def clauses(sentence: Sentence) -> Iterator[Clause]:
    """
    The clauses of a sentence that state something as so.

    Left out: what stands after "if", "wish", "maybe" and their like, what somebody else is reported to have said, and
    the last clause of a question.
    """
    text = sentence.text
    joints = [(0, 0), *((match.start(), match.end()) for match in islice(_JOINT.finditer(text), _CLAUSES_MOST))]
    if sentence.asks:
        joints = joints[:-1]
    front, front_at, last_start = "", 0, -1
    scope = 0
    for index, (before, begun) in enumerate(joints):
        if _FRESH_START.search(text[before:begun]) or _FRESH_START.match(text[begun:].lstrip()):
            scope = before
        told = text[scope:before]
        if _UNREAL.search(told) or _REPORTED.search(told):
            continue
        start, when_at, when = _past_lead_in(text, begun)
        if start >= len(text) - 1 or start == last_start:
            continue
        segment_end = joints[index + 1][0] if index + 1 < len(joints) else len(text)
        if when and start >= segment_end:  # the time is the whole segment: it belongs to the clause that follows
            front, front_at = when, when_at
            continue
        last_start = start
        opened_at = when_at if when else (front_at if front else start)
        yield Clause(text[start:], sentence.start + start, sentence.start + opened_at, when or front, begun == 0)
        front = ""


def _past_lead_in(text: str, begun: int) -> tuple[int, int, str]:
    """Where the clause that opens at `begun` really begins, and the time in front of it with its place."""
    position, when, when_at = begun, "", begun
    for _ in range(6):
        rest = text[position:]
        time = None if when else leading_time(rest)  # first: "Yesterday, I" is no name being called
        if time:
            when, when_at = time.words, position
            position += time.end
            while position < len(text) and text[position] in " ,:-–—":
                position += 1
            continue
        lead = _LEAD_IN.match(rest)
        if lead is None:
            break
        position += lead.end()
    return position, when_at, when


def whole(message: str, start: int, end: int) -> str:
    """The words of the message from `start` to `end`, untouched but for the blanks at the edges: evidence."""
    return message[start:end].strip(" \n,;:-–—")
