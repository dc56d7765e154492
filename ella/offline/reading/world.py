"""
Claims about Ella's world, by either of the two: what her door is painted, what the bakery is called, how her animal
is named. Which path a word of her world has is data.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ella.offline.reading.lexicon import COLOURS, COMPANIONS, WORLD_OF, alternation
from ella.offline.reading.people import is_name

Claim = tuple[str, str, str, int, int]  # subject, predicate, object, where the words start and end

_THINGS = alternation(tuple(WORLD_OF))
_ANIMALS = alternation(tuple(COMPANIONS))
_COLOURS = alternation(tuple(COLOURS))
_TITLE = r"(?P<name>[^\W\d_][\w'’-]{0,20}(?:\s+(?:(?:of|the|and|at)\s+)?[^\W\d_][\w'’-]{1,20}){0,2})"
_WHOSE = {True: "(?i:my|the|our)", False: "(?i:your)"}
_SHADE = rf"(?:(?:dark|light|pale|bright|deep)\s+)?(?:{_COLOURS})"


def _patterns(of_ella: bool) -> tuple[re.Pattern[str], ...]:
    whose = _WHOSE[of_ella]
    mine = "(?i:my)" if of_ella else "(?i:your)"
    return (
        re.compile(
            rf"\b{whose}\s+(?P<thing>(?i:{_THINGS}))(?:\s+(?i:here|there|in the village|by the \w+|on the \w+))?"
            rf"(?:'s|\s+(?:is|was))\s+(?:still\s+|now\s+"
            rf"|always\s+)?(?:(?i:painted)\s+)?(?P<colour>(?i:{_SHADE}))(?=[.,;!]|\s+(?:and|but"
            rf"|again|these)|\Z)"
        ),
        re.compile(
            rf"\b{whose}\s+(?P<thing>(?i:{_THINGS}))(?:\s+(?i:here|there|in the village|by the \w+"
            rf"|on the \w+|at the \w+))?"
            rf"(?:(?:'s|\s+is)\s+(?i:called|named)|'s\s+name\s+is)\s+{_TITLE}"
        ),
        re.compile(
            rf"\b{mine}\s+(?:\w+\s+)?(?P<animal>(?i:{_ANIMALS}))(?:(?:'s|\s+is)\s+(?i:called|named)"
            rf"|'s\s+name(?:\s+is|'s)|,)\s+{_TITLE}"
        ),
        re.compile(
            rf"\b{mine}\s+(?P<thing>(?i:neighbou?r|baker|postman))(?:,)?\s+(?P<name>[^\W\d_a-z][^\W\d_]{{1,20}})\b"
        ),
    )


_PATTERNS = {of_ella: _patterns(of_ella) for of_ella in (True, False)}


def path_of(word: str) -> str:
    """Where a word of her world stands: "door" → `ellahome.exterior.door`."""
    return WORLD_OF.get(word.lower(), "companion")


def world_claims(sentence: str, *, of_ella: bool) -> Iterator[Claim]:
    """What a sentence claims about Ella's world. `of_ella` says that she speaks herself and calls it hers."""
    for pattern in _PATTERNS[of_ella]:
        for match in pattern.finditer(sentence):
            groups = match.groupdict()
            subject = "companion" if groups.get("animal") else path_of(groups["thing"])
            if groups.get("colour"):
                yield subject, "colour", groups["colour"].lower(), match.start(), match.end("colour")
                continue
            name, end = _name(match)
            if name:
                yield subject, "name", name, match.start(), end


def _name(match: re.Match[str]) -> tuple[str, int]:
    """The capitalised words that open the name caught, with small words between them ("House of Bread")."""
    kept: list[str] = []
    for word in match["name"].split():
        if is_name(word) or (kept and word in {"of", "the", "and", "at"}):
            kept.append(word)
        else:
            break
    while kept and kept[-1].islower():
        kept.pop()
    name = " ".join(kept)
    return name, match.start("name") + len(name)
