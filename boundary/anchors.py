"""
Anchors: what a text must contain for a pattern to have any chance of matching it.

The rules' patterns are too many and too loose to be run over every message. Each is read here once, when the book is loaded, and reduced to a few phrases one of which
every match contains; one automaton then looks for all phrases of all rules in a single pass. The reading is conservative: where it cannot tell, it
asks for less. It must never ask for something a match can do without.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

_MOST_PHRASES = 48
_MOST_ALTERNATIVES = 400
_SAYS_NOTHING, _SAYS_ENOUGH = 4, 48
_TOKEN = re.compile(r"\(\?:|\\.|\[(?:\\.|[^\]\\])*\]|[|()?*+^$.]|\{\d+(?:,\d*)?\}|[^\\]", re.DOTALL)
_SMALL_CLASS = re.compile(r"\[([a-z0-9]{1,4})\]")
_WORD = re.compile(r"[a-z0-9]+")
_NO_SPACE = "\0"

# Words found in so many messages that finding them says nothing.
_COMMON = frozenset(
    """a about all am an and any are as at be been but by can could did do does dont even for from get go going gonna had has have he her him his how i id if ill im in is it its ive
    just know like me more my no not now of on one only or our out really she so some that the them then there they thing things think this to too up us want was we well were what when
    where who why will with would you your youre u ur r feel need make makes say said tell let lets here please time good better day life never always ever much back after take""".split()
)


class PatternError(Exception):
    """The pattern uses something the rules may not use, or nothing in it narrows down which texts it can match."""


@dataclass(frozen=True, slots=True)
class Anchors:
    """`phrases`: every match contains one of them (" " at an end is a word boundary, inside it parts words). `words`: all that the pattern spells."""

    phrases: frozenset[str]
    words: tuple[str, ...]


def anchors(pattern: str) -> Anchors:
    """Read a pattern as authors write it, fragments expanded. Raises PatternError."""
    reader = _Reader(pattern)
    part = _concatenation([_exactly(" "), reader.alternation(), _exactly(" ")], reader.words)
    if reader.rest():
        raise PatternError(f"unbalanced parenthesis near {reader.rest()[:20]!r}")
    phrases = part.required if part.exact is None else part.exact
    if phrases is None or _weight(phrases) < _SAYS_NOTHING:
        raise PatternError("no word in it narrows down which texts it can match")
    return Anchors(frozenset(phrase.replace(_NO_SPACE, "") for phrase in phrases), tuple(dict.fromkeys(reader.words)))


@dataclass(frozen=True, slots=True)
class _Part:
    """What is known of a part of a pattern: `exact`, all the texts it matches, or else `required`, phrases one of which each match contains."""

    exact: frozenset[str] | None
    required: frozenset[str] | None


_ANYTHING = _Part(None, None)


def _exactly(*texts: str) -> _Part:
    return _Part(frozenset(texts), None)


def _weight(phrases: Iterable[str]) -> int:
    """How much finding one of these says, going by the weakest: its letters, those of common words for an eighth."""
    return min((sum(len(word) * (1 if word in _COMMON else 8) for word in _WORD.findall(phrase)) for phrase in phrases), default=0)


def _heavier(one: frozenset[str] | None, other: frozenset[str] | None) -> frozenset[str] | None:
    if one is None or other is None:
        return one if other is None else other
    return max(one, other, key=lambda phrases: (min(_weight(phrases), _SAYS_ENOUGH), -len(phrases)))


def _concatenation(parts: Iterable[_Part], words: list[str]) -> _Part:
    exact: frozenset[str] | None = frozenset({""})
    whole = True
    required: frozenset[str] | None = None
    for part in parts:
        if part.exact is not None and len(exact) * len(part.exact) <= _MOST_PHRASES:
            exact = frozenset(before + after for before in exact for after in part.exact)
            continue
        whole = False
        required = _heavier(required, _spelled(exact, words))
        required = _heavier(required, part.required)
        exact = part.exact if part.exact is not None else frozenset({""})
    if whole:
        return _Part(exact, None)
    return _Part(None, _heavier(required, _spelled(exact, words)))


def _spelled(exact: frozenset[str], words: list[str]) -> frozenset[str] | None:
    for phrase in sorted(exact):
        words.extend(_WORD.findall(phrase))
    return exact if _weight(exact) else None


def _alternation(parts: list[_Part], words: list[str]) -> _Part:
    if len(parts) == 1:
        return parts[0]
    if all(part.exact is not None for part in parts):
        texts = frozenset().union(*(part.exact for part in parts if part.exact is not None))
        if len(texts) <= _MOST_ALTERNATIVES:
            return _Part(texts, None)
    phrases: set[str] = set()
    for part in parts:
        required = part.required if part.exact is None else _spelled(part.exact, words)
        if required is None:
            return _ANYTHING
        phrases |= required
    return _Part(None, frozenset(phrases))


class _Reader:
    """A recursive-descent reader of the part of the RE2 syntax that rules use."""

    def __init__(self, pattern: str) -> None:
        self._tokens = _TOKEN.findall(pattern)
        self._at = 0
        self.words: list[str] = []

    def rest(self) -> str:
        return "".join(self._tokens[self._at :])

    def _peek(self) -> str:
        return self._tokens[self._at] if self._at < len(self._tokens) else ""

    def _take(self) -> str:
        token = self._peek()
        self._at += 1
        return token

    def alternation(self) -> _Part:
        branches = [self._sequence()]
        while self._peek() == "|":
            self._take()
            branches.append(self._sequence())
        return _alternation(branches, self.words)

    def _sequence(self) -> _Part:
        parts = []
        while self._peek() not in ("", "|", ")"):
            parts.append(self._quantified(self._atom()))
        return _concatenation(parts, self.words)

    def _atom(self) -> _Part:
        token = self._take()
        if token == "(?:":
            part = self.alternation()
            if self._take() != ")":
                raise PatternError("a group is not closed")
            return part
        if token == "(":
            raise PatternError("groups are written (?:…)")
        if token in ("^", "$", r"\b"):
            return _exactly("")
        small = _SMALL_CLASS.fullmatch(token)
        if small:
            return _exactly(*small.group(1))
        if token[0] in "[." or (token[0] == "\\" and token[1].isalnum()):
            return _ANYTHING
        char = token[-1]
        return _exactly(char) if char.isalnum() or char == " " else _ANYTHING

    def _nothing(self, token_before: int) -> str:
        """What an optional part leaves behind when it is absent. A space may go between two letters ("my ?self" spells "myself"), not between two groups of words."""
        around = self._tokens[token_before : token_before + 4 : 3] if token_before >= 0 else []
        joined = self._tokens[token_before + 1] != " " or (len(around) == 2 and all(map(str.isalpha, around)))
        return "" if joined else _NO_SPACE

    def _quantified(self, part: _Part) -> _Part:
        token = self._peek()
        if token not in ("?", "*", "+") and not token.startswith("{"):
            return part
        self._take()
        if self._peek() == "?":
            self._take()
        if part.exact is not None:
            _spelled(part.exact, self.words)
        if token == "?" and part.exact is not None:
            return _Part(part.exact | {self._nothing(token_before=self._at - 3)}, None)
        if token == "+" or token.startswith("{") and not token.startswith("{0"):
            return _Part(None, part.required if part.exact is None else _spelled(part.exact, self.words))
        return _ANYTHING
