"""
What the object of a statement must be, kind by kind. Each reader takes the cut object and gives the words to keep, or
nothing: a job is a job from the list, a place has a
name or an article, what one "has" is worth keeping for months.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from ella.offline.reading.lexicon import (
    CONDITIONS,
    EVENTS,
    FIGURES,
    HAVABLES,
    LANGUAGES,
    OCCUPATIONS,
    alternation,
    either,
    words,
)
from ella.offline.reading.objects import Object, opens_vaguely, with_article, without_article
from ella.offline.reading.people import is_name

_PLACE_WORDS = 7
_WITH_WHOM = re.compile(r"\s+(?:from|with)\s")
_BEFORE_DETAIL = re.compile(
    r"\s+(?:at|for|in|with|of|on|from|by|near|about|named|called|to|coming|against)\s", re.IGNORECASE
)
_CAPITAL = re.compile(r"(?:^|\s)(?-i:[A-ZÀ-ÖØ-Þ])")
_DETERMINED = re.compile(r"(?:the|an?|my|our|his|her|their)\s", re.IGNORECASE)
_JUDGED = re.compile(rf"(?:very |really |pretty |quite |such an? )?{either('objects', 'judged')}\b", re.IGNORECASE)
_COUNTED = re.compile(
    r"(?:an?|one|two|three|four|five|six|seven|eight|nine|ten|\d{1,2}|my own|our own|some)\s+", re.IGNORECASE
)
_AGE = re.compile(r"(\d{1,3})(?:\s*(?:years?\s+old|yrs?(?:\s+old)?))?")
_DATE = re.compile(r"(?:on\s+|in\s+)?(?P<date>.{1,40})", re.IGNORECASE)
_MONTH_OR_DAY = re.compile(
    r"\b(?:january|february|march|april|may|june|july|august|september|october|november|december"
    r"|\d{1,2}(?:st|nd|rd|th)?|\d{4})\b",
    re.IGNORECASE,
)
_LOVED_IN_GENERAL = re.compile(rf"the {either('objects', 'loved_in_general')}\b", re.IGNORECASE)
_NOT_LOVED = re.compile(rf"{either('objects', 'not_loved')}\b", re.IGNORECASE)
_HAD = (EVENTS - words("objects", "not_had")) | words("objects", "had_too")
_NOT_LOVED_HEADS = words("objects", "not_loved_heads")
_PLURAL_HAVABLES = frozenset(word for word in HAVABLES if word.endswith("s"))
# "made this cake": whoever reads it later does not see which.
_DEMONSTRATIVE = re.compile(r"\b(?:this|that) (?P<what>[a-z]+)")
_WHOLE_DEEDS = words("objects", "whole_deeds")
_VAGUE_HEADS = words("objects", "vague_heads")
_NO_PROJECTS = words("objects", "no_projects")


def _noun(found: Object) -> str | None:
    text = found.text
    if opens_vaguely(text) or found.head in _VAGUE_HEADS or len(found.head) < 2:
        return None
    return text.strip('"')


def _head_phrase(text: str) -> str:
    """The part before the first detail: "nurse" of "nurse in a small clinic"."""
    return _BEFORE_DETAIL.split(f"{text} ", maxsplit=1)[0].strip().lower()


def _ends_in(phrase: str, words: frozenset[str]) -> bool:
    parts = phrase.replace('"', "").split()
    return any(" ".join(parts[-size:]) in words for size in (1, 2, 3) if len(parts) >= size)


def _occupation(found: Object) -> str | None:
    text = without_article(found.text)
    head = _head_phrase(text)
    if (
        _JUDGED.match(text)
        or not _ends_in(head, OCCUPATIONS)
        or len(head.split()) > 4
        or text.lower().endswith("at heart")
    ):
        return None
    return text


def _place(found: Object) -> str | None:
    text = _WITH_WHOM.split(found.text, maxsplit=1)[0]
    if opens_vaguely(text) or len(text.split()) > _PLACE_WORDS:
        return None
    return text if _CAPITAL.search(text) or _DETERMINED.match(text) else None


def _origin(found: Object) -> str | None:
    return _place(found) if any(is_name(word) for word in found.words) else None


def _visit(found: Object) -> str | None:
    text = _place(found)
    return None if text is None or _ends_in(_head_phrase(text), FIGURES - EVENTS) else text


def _liked(found: Object) -> str | None:
    text = _noun(found)
    if text is None or _NOT_LOVED.match(text) or _ends_in(_head_phrase(text), _NOT_LOVED_HEADS):
        return None
    if text.lower().startswith("the ") and not _LOVED_IN_GENERAL.match(text):
        return None
    return text


def _condition(found: Object) -> str | None:
    return found.text if _ends_in(found.text.lower(), CONDITIONS) and len(found.words) <= 4 else None


def _havable(found: Object) -> str | None:
    kept = []
    for part in re.split(r"\s+and\s+", found.text):
        if opens_vaguely(part):
            break
        counted = _COUNTED.match(part)
        bare = part[counted.end() :] if counted else part
        if not (counted or _ends_in(bare.lower(), _PLURAL_HAVABLES)):
            break
        if not _ends_in(_head_phrase(bare), HAVABLES) or len(_head_phrase(bare).split()) > 4:
            break
        kept.append(re.split(r"\s+(?:named|called)\s", part)[0])
    return " and ".join(kept) or None


def _event(found: Object) -> str | None:
    text = re.sub(r"\s+coming up$", "", without_article(found.text))
    return text if _ends_in(_head_phrase(text), EVENTS) and not opens_vaguely(text) else None


def _happening(found: Object) -> str | None:
    """Something that was had and can be pointed to on a calendar: a picnic, an operation."""
    head = _head_phrase(found.text)
    return found.text if _ends_in(head, _HAD) and not opens_vaguely(found.text) else None


def _activity(found: Object) -> str | None:
    text = found.text
    if len(found.words) == 1 and found.head not in _WHOLE_DEEDS and not found.head.endswith("ing"):
        return None
    if found.head in {"it", "that", "them", "so", "this", "you", "me", "up to"} and len(found.words) <= 2:
        return None
    if re.search(r"\b(?:you|your)\b", text, re.IGNORECASE):
        return None
    return _DEMONSTRATIVE.sub(lambda match: with_article(match["what"]), text[0].lower() + text[1:])


def _project(found: Object) -> str | None:
    text = _noun(found)
    return None if text is None or _NO_PROJECTS & set(_head_phrase(text).split()) else text


def _age(found: Object) -> str | None:
    match = _AGE.fullmatch(found.text)
    return match.group(1) if match and 1 <= int(match.group(1)) <= 120 else None


def _language(found: Object) -> str | None:
    match = re.match(rf"(?:{alternation(LANGUAGES)})\b", found.text, re.IGNORECASE)
    return match.group() if match else None


def _name(found: Object) -> str | None:
    names = []
    for word in found.words[:3]:
        if not is_name(word):
            break
        names.append(word)
    return " ".join(names) or None


def date_of(text: str) -> str | None:
    """The words for a day of the year at the start of `text`, as they were said."""
    piece = re.split(r"[,;!?()]|\.(?:\s|\Z)|\s(?:so|and|but|which|because)\s", text.strip(), maxsplit=1)[0]
    match = _DATE.match(piece)
    return match["date"].strip() if match and _MONTH_OR_DAY.search(match["date"]) else None


KINDS: dict[str, Callable[[Object], str | None]] = {
    "noun": _noun,
    "occupation": _occupation,
    "place": _place,
    "origin": _origin,
    "visit": _visit,
    "liked": _liked,
    "havable": _havable,
    "condition": _condition,
    "event": _event,
    "happening": _happening,
    "activity": _activity,
    "project": _project,
    "age": _age,
    "language": _language,
    "name": _name,
}
