"""
Anchors: what a text must contain for a pattern to have any chance of matching it.

The rules' patterns are too many and too loose to be run over every message. Each is read here once, when the book is
loaded, and reduced to a few phrases one of which every match contains; one automaton then looks for all phrases of
all rules in a single pass. The reading is conservative: where it cannot tell, it asks for less. It must never ask for
something a match can do without.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

_MOST_PHRASES = 48
_MOST_ALTERNATIVES = 400
_SAYS_NOTHING, _SAYS_ENOUGH = 4, 48
_TOKEN = re.compile(r"\(\?:|\\.|\[(?:\\.|[^\]\\])*\]|[|()?*+^$.]|\{\d+(?:,\d*)?\}|[a-z0-9]+(?![?*+{])|[^\\]", re.DOTALL)
_SMALL_CLASS = re.compile(r"\[([a-z0-9]{1,4})\]")
_WORD = re.compile(r"[a-z0-9]+")
_NO_SPACE = "\0"


class PatternError(Exception):
    """The pattern uses something the rules may not use, or nothing in it narrows down which texts it can match."""


@dataclass(frozen=True, slots=True)
class Anchors:
    """
    `phrases`: every match contains one of them (" " at an end is a word boundary, inside it parts words). `words`:
    all that the pattern spells.
    """

    phrases: frozenset[str]
    words: tuple[str, ...]


def anchors(pattern: str, common: frozenset[str]) -> Anchors:
    """
    Read a pattern as authors write it, fragments expanded. `common` are words found in so many messages that finding
    them says little. Raises PatternError.
    """
    reader = _Reader(pattern, common)
    part = reader.concatenation([_exactly(" "), reader.alternation(), _exactly(" ")])
    if reader.rest():
        raise PatternError(f"unbalanced parenthesis near {reader.rest()[:20]!r}")
    phrases = part.required if part.exact is None else part.exact
    if phrases is None or reader.weight(phrases) < _SAYS_NOTHING:
        raise PatternError("no word in it narrows down which texts it can match")
    return Anchors(frozenset(phrase.replace(_NO_SPACE, "") for phrase in phrases), tuple(dict.fromkeys(reader.words)))


@dataclass(frozen=True, slots=True)
class _Part:
    """
    What is known of a part of a pattern: `exact`, all the texts it matches, or else `required`, phrases one of which
    each match contains.
    """

    exact: frozenset[str] | None
    required: frozenset[str] | None


_ANYTHING = _Part(None, None)


def _exactly(*texts: str) -> _Part:
    return _Part(frozenset(texts), None)


class _Reader:
    """A recursive-descent reader of the part of the RE2 syntax that rules use."""

    def __init__(self, pattern: str, common: frozenset[str]) -> None:
        self._tokens = _TOKEN.findall(pattern)
        self._at = 0
        self._common = common
        self.words: list[str] = []

    def weight(self, phrases: Iterable[str]) -> int:
        """
        How much finding one of these says, going by the weakest: its letters, those of common words for an eighth.
        """
        return min(
            (
                sum(len(word) * (1 if word in self._common else 8) for word in _WORD.findall(phrase))
                for phrase in phrases
            ),
            default=0,
        )

    def rest(self) -> str:
        return "".join(self._tokens[self._at :])

    def _peek(self) -> str:
        return self._tokens[self._at] if self._at < len(self._tokens) else ""

    def _take(self) -> str:
        symbol = self._peek()
        self._at += 1
        return symbol

    def alternation(self) -> _Part:
        branches = [self._sequence()]
        while self._peek() == "|":
            self._take()
            branches.append(self._sequence())
        if len(branches) == 1:
            return branches[0]
        texts = [branch.exact for branch in branches if branch.exact is not None]
        if len(texts) == len(branches) and sum(map(len, texts)) <= _MOST_ALTERNATIVES:
            return _Part(frozenset().union(*texts), None)
        phrases = [self._demanded(branch) for branch in branches]
        found = [phrase for phrase in phrases if phrase is not None]
        return _Part(None, frozenset().union(*found)) if len(found) == len(branches) else _ANYTHING

    def _sequence(self) -> _Part:
        parts = []
        while self._peek() not in ("", "|", ")"):
            parts.append(self._quantified(self._atom()))
        return self.concatenation(parts)

    def concatenation(self, parts: Iterable[_Part]) -> _Part:
        """
        Parts one after another: exact as long as that stays countable, else what its most telling stretch demands.
        """
        stretch = frozenset({""})
        whole = True
        required: frozenset[str] | None = None
        for part in parts:
            if part.exact is not None and len(stretch) * len(part.exact) <= _MOST_PHRASES:
                stretch = frozenset(before + after for before in stretch for after in part.exact)
                continue
            whole = False
            required = self._heavier(required, self._spelled(stretch))
            required = self._heavier(required, part.required)
            stretch = part.exact if part.exact is not None else frozenset({""})
        if whole:
            return _Part(stretch, None)
        return _Part(None, self._heavier(required, self._spelled(stretch)))

    def _demanded(self, part: _Part) -> frozenset[str] | None:
        return part.required if part.exact is None else self._spelled(part.exact)

    def _spelled(self, phrases: frozenset[str]) -> frozenset[str] | None:
        for phrase in sorted(phrases):
            self.words.extend(_WORD.findall(phrase))
        return phrases if self.weight(phrases) else None

    def _heavier(self, one: frozenset[str] | None, other: frozenset[str] | None) -> frozenset[str] | None:
        if one is None or other is None:
            return one if other is None else other
        return max(one, other, key=lambda phrases: (min(self.weight(phrases), _SAYS_ENOUGH), -len(phrases)))

    def _atom(self) -> _Part:
        symbol = self._take()
        if symbol == "(?:":
            part = self.alternation()
            if self._take() != ")":
                raise PatternError("a group is not closed")
            return part
        if symbol == "(":
            raise PatternError("groups are written (?:…)")
        if symbol in ("^", "$", r"\b"):
            return _exactly("")
        small = _SMALL_CLASS.fullmatch(symbol)
        if small:
            return _exactly(*small.group(1))
        if symbol[0] in "[." or (symbol[0] == "\\" and symbol[1].isalnum()):
            return _ANYTHING
        return _exactly(symbol) if symbol.isalnum() or symbol == " " else _ANYTHING

    def _nothing(self, token_before: int) -> str:
        """
        What an optional part leaves behind when it is absent. A space may go between two letters ("my ?self" spells
        "myself"), not between two groups of words.
        """
        around = self._tokens[token_before : token_before + 4 : 3] if token_before >= 0 else []
        joined = self._tokens[token_before + 1] != " " or (len(around) == 2 and all(map(str.isalpha, around)))
        return "" if joined else _NO_SPACE

    def _quantified(self, part: _Part) -> _Part:
        symbol = self._peek()
        if symbol not in ("?", "*", "+") and not symbol.startswith("{"):
            return part
        self._take()
        if self._peek() == "?":
            self._take()
        if part.exact is not None:
            self._spelled(part.exact)
        if symbol == "?" and part.exact is not None:
            return _Part(part.exact | {self._nothing(token_before=self._at - 3)}, None)
        if symbol == "+" or (symbol.startswith("{") and not symbol.startswith("{0")):
            return _Part(None, self._demanded(part))
        return _ANYTHING
