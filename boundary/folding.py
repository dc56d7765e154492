"""
Folding: one plain spelling for the many ways a word can be written, with a map back to the text as it was.

Folded text is lower case without accents, apostrophes or invisible characters; letters that only look Latin are
Latin; emoji, underscores and control characters are `~`. Words in disguise (k1ll, k*ll, k.i.l.l, k i l l, kiiilll)
are written out, but only when what comes out is a word the rules know: everything else stays as it is, so that
ordinary text is never read as something it does not say. This module must never judge, never raise on any `str`, and
take time linear in its length.
"""

from __future__ import annotations

import itertools
import re
import unicodedata
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property, lru_cache

import disarm
import re2

# letter → what may follow it; `_WORD_END` marks that a word may end here.
_LetterTree = dict[str, "_LetterTree"]

ORNAMENT = "~"
_ORNAMENT_CATEGORIES = frozenset({"Cc", "Cs", "Co", "Cn", "So", "Sk"})
_APOSTROPHES = frozenset("'’‘‛ʼʹ`´′＇")
_WRITTEN_OUT = {
    "_": "~",
    "`": "~",
    "^": "~",
    "。": ".",
    "、": ",",
    "¿": " ",
    "¡": " ",
    "•": "~",
    "·": "~",
    "ß": "ss",
    "“": '"',
    "”": '"',
    "„": '"',
    "«": '"',
    "»": '"',
} | dict.fromkeys("‐‑‒–—―−", "-")
_REMEMBERED_CHARACTERS = 20_000


def _fold_character(char: str) -> str:
    if char in _APOSTROPHES:
        return ""
    if char in _WRITTEN_OUT:
        return _WRITTEN_OUT[char]
    if char.isspace():
        return "\n" if char in "\n\r\x0b\x0c\x85\u2028\u2029" else " "
    if char.isascii():
        return char.lower() if char.isprintable() else ORNAMENT
    category = unicodedata.category(char)
    if category in {"Cs", "Cc", "Co", "Cn"}:
        return ORNAMENT
    if category[0] == "M" or category == "Cf":
        return ""
    decomposed = unicodedata.normalize("NFKD", char)
    plain = "".join(part for part in decomposed if unicodedata.category(part)[0] != "M")
    if not plain.isascii():
        plain = disarm.normalize_confusables(plain)
        plain = "".join(part for part in unicodedata.normalize("NFKD", plain) if unicodedata.category(part)[0] != "M")
    if not plain.isascii() and category in _ORNAMENT_CATEGORIES:
        return ORNAMENT
    return "".join("" if part in _APOSTROPHES else part for part in plain).lower()


class _Characters(dict[int, str]):
    """
    code point → its folded form, made when first met. Bounded, because an attacker chooses which characters are met.
    """

    def __missing__(self, code: int) -> str:
        if len(self) >= _REMEMBERED_CHARACTERS:
            self.clear()
        folded = self[code] = _fold_character(chr(code))
        return folded


_CHARACTERS = _Characters()


def fold_characters(text: str) -> str:
    """
    The first half of folding, character by character. The rules' own patterns are checked against it when they are
    loaded.
    """
    return text.translate(_CHARACTERS)


class Folded:
    """A folded text. `text` is what the rules read; `span` and `position` translate between it and the original."""

    def __init__(self, source: str, characters: str, edits: Sequence[tuple[int, int, str]] = ()) -> None:
        self._source = source
        self._characters = characters
        self._edits = edits
        self.text = "".join(self._pieces()) if edits else characters

    def _pieces(self) -> Iterator[str]:
        done = 0
        for start, end, replacement in self._edits:
            yield self._characters[done:start]
            yield replacement
            done = end
        yield self._characters[done:]

    @cached_property
    def _origins(self) -> list[int]:
        """
        For every folded character, the index of the original one it came from; one more entry for the end. Built only
        when something was found.
        """
        origins: list[int] = []
        for index, char in enumerate(self._source):
            origins.extend(itertools.repeat(index, len(_CHARACTERS[ord(char)])))
        origins.append(len(self._source))
        for start, end, replacement in reversed(self._edits):
            width = end - start
            origins[start:end] = [
                origins[start + index * width // len(replacement)] for index in range(len(replacement))
            ]
        return origins

    def span(self, start: int, end: int) -> tuple[int, int]:
        """
        (start, end) in folded characters → (start, end) in the original. Marks and invisible characters after the
        last letter belong to it.
        """
        return self._origins[start], self._origins[end]

    def positions(self, originals: Iterable[int]) -> list[int]:
        """Indices in the original → for each the first folded character that came from there or later."""
        return [bisect_left(self._origins, original) for original in originals]


# Where a disguise may be: three of a letter, two of a letter English does not double, a digit or sign touching a
# letter, a mark inside a word, letters standing alone.
_DOUBLED = "aahhiijjkkqquuvvwwxxyy"
_SUSPECT = re2.compile(
    "|".join(
        [
            *(f"{letter}{{3}}" for letter in "abcdefghijklmnopqrstuvwxyz"),
            *(_DOUBLED[index : index + 2] for index in range(0, len(_DOUBLED), 2)),
            r"[a-z][0-9@$|]|[0-9@$|][a-z]",
            r"[a-z][!*~.+/#%&=\-]+[a-z]",
            r"(?:^|[^a-z0-9])[a-z0-9](?:[ ~.*\-]{1,8}[a-z0-9]){2}(?:[^a-z0-9]|$)",
        ]
    )
)
_LONE_LETTERS = re.compile(r"(?<![a-z0-9])[a-z0-9@$](?:[ ~.*\-]{1,8}[a-z0-9@$](?![a-z0-9])){2,}(?![~.*\-]?[a-z0-9])")
_WORD_GAP = re.compile(r" {2,}")
_SPACES = re.compile(r" +")
_ALPHANUMERIC = re.compile(r"[a-z0-9@$]")
_TOKEN = re.compile(r'[^\s,;:?"()<>\[\]{}]+')
_EDGES = "!*~.+/#%&=-|"
_MARKS = re.compile(r"[*~.+/#%&=\-]+")
_LEET = dict(zip("02345678@$9", "ozeasgtbasg", strict=True)) | {"1": "il", "!": "il", "|": "li"}
_ALONE = {"1": "i", "!": "i", "|": "i", "2": "to", "4": "for"}
_CONTRACTED = frozenset({"t", "s", "m", "d", "re", "ll", "ve"})
_HIDING = frozenset("*#~%")
_MOST_AMBIGUOUS = 5
_LONGEST_TOKEN = 80
_UNKNOWN_LETTER_COST = 3
_WORD_END = ""
_NO_BRANCH: _LetterTree = {}


def squeeze(word: str) -> str:
    """Every run of one letter written once: "killl" and "kill" are both "kil"."""
    return "".join(letter for letter, _ in itertools.groupby(word))


class Folder:
    """
    Folds texts for one rule book.

    `vocabulary` holds the words the rules know, the most important first: where a disguise could be several words,
    the earliest of them is taken.
    """

    def __init__(self, vocabulary: Iterable[str]) -> None:
        self._rank = {word: rank for rank, word in enumerate(dict.fromkeys(vocabulary))}
        self._squeezed: dict[str, str] = {}
        self._by_letter: dict[tuple[int, int, str], list[str]] = {}
        for word in self._rank:
            self._squeezed.setdefault(squeeze(word), word)
            for place, letter in enumerate(word):
                self._by_letter.setdefault((len(word), place, letter), []).append(word)
        self._tree = _letter_tree(self._rank)
        self._undisguise = lru_cache(maxsize=4096)(self._read_token)

    def fold(self, text: str) -> Folded:
        """`text` may be any `str`: lone surrogates, NUL and right-to-left marks included."""
        characters = fold_characters(text)
        if _SUSPECT.search(characters) is None:
            return Folded(text, characters)
        return Folded(text, characters, self._edits(characters))

    def _edits(self, characters: str) -> list[tuple[int, int, str]]:
        """(start, end, replacement) for every word in disguise, in order."""
        edits: list[tuple[int, int, str]] = []
        done = 0
        for run in _LONE_LETTERS.finditer(characters):
            edits.extend(self._token_edits(characters, done, run.start()))
            words = self._read_letters(run.group())
            if words:
                edits.append((run.start(), _past_marks(characters, *run.span()), words))
                done = edits[-1][1]
            else:
                done = run.end()
        edits.extend(self._token_edits(characters, done, len(characters)))
        return edits

    def _token_edits(self, characters: str, start: int, end: int) -> list[tuple[int, int, str]]:
        found: list[tuple[int, int, str]] = []
        alone: list[tuple[int, int, str]] = []
        leet = False
        for match in _TOKEN.finditer(characters, start, end):
            token = match.group()
            if token in _ALONE:
                alone.append((match.start(), match.end(), _ALONE[token]))
                continue
            if token.isalpha() and token in self._rank:
                continue
            core = token.strip(_EDGES)
            word = self._undisguise(core) if core and len(core) <= _LONGEST_TOKEN else ""
            if not word and len(core) < len(token):  # what looked like an edge may be a letter: "!", "|"
                core = token.strip("*~.+/#%&=-")
                word = self._undisguise(core) if 1 < len(core) <= _LONGEST_TOKEN else ""
            if word and word != core:
                leet = leet or not core.isalpha()
                at = match.start() + token.index(core)
                found.append((at, _past_marks(characters, at, at + len(core)), word))
        # A digit standing alone is a word only in the company of other disguises: "1 w4nt 2 d1e", not "2 eggs".
        if not leet:
            return found
        a_is_4 = any("4" in characters[begin:finish] for begin, finish, _ in found)
        return sorted(
            [*found, *((begin, finish, "a" if word == "for" and a_is_4 else word) for begin, finish, word in alone)]
        )

    def _read_letters(self, run: str) -> str:
        """
        Letters that stand alone ("k i l l  m e", "k.i.l.l m.e") → the words they spell, or nothing. Words are parted
        where the writer left room, if that makes sense.
        """
        gap = _SPACES if _MARKS.search(run) else _WORD_GAP
        words: list[str] = []
        for part in gap.split(run):
            letters = "".join(_ALPHANUMERIC.findall(part))
            if (
                words and letters in _CONTRACTED and words[-1] + letters in self._rank
            ):  # "d o n ' t": folding took the apostrophe
                words[-1] += letters
            elif letters:
                words.append(self._word(letters) or letters)
        if not all(word in self._rank for word in words):
            words = self._segments("".join(_ALPHANUMERIC.findall(run)), whole=False).split()
        return " ".join(words) if any(len(word) > 2 and word in self._rank for word in words) else ""

    def _read_token(self, core: str) -> str:
        """One token → the word(s) it stands for, or nothing when it is no disguise."""
        if core in self._rank:
            return ""
        if core.isalpha():
            return self._elongated(core)
        pieces = [piece for piece in _MARKS.split(core) if piece]
        if len(pieces) < 2:
            return self._word(core)
        joined = "".join(pieces)
        # A mark may stand between two letters ("su*icide") or for one of them ("s*icide"): the more telling of the
        # two words is meant.
        word = min((self._wildcard(core), joined), key=lambda word: self._rank.get(word, len(self._rank)))
        if word in self._rank:
            return word
        # "well-known", "end.my": two words with a mark between them are two words.
        if all(piece in self._rank and len(piece) > 1 for piece in pieces):
            return ""
        return self._word(joined) or (
            self._segments(joined, whole=True) if all(len(piece) <= 2 for piece in pieces) else ""
        )

    def _word(self, letters: str) -> str:
        """The known word these letters and look-alike digits spell."""
        for candidate in self._readings(letters):
            if candidate in self._rank:
                return candidate
            elongated = self._elongated(candidate)
            if elongated:
                return elongated
        return ""

    @staticmethod
    def _readings(letters: str) -> Iterator[str]:
        choices = [_LEET.get(char, char) for char in letters]
        if sum(len(choice) > 1 for choice in choices) > _MOST_AMBIGUOUS:
            choices = [choice[0] for choice in choices]
        return ("".join(reading) for reading in itertools.product(*choices))

    def _elongated(self, word: str) -> str:
        if not _is_stretched(word):
            return ""
        return self._squeezed.get(squeeze(word), "")

    def _wildcard(self, core: str) -> str:
        """ "k*ll": each mark hides one letter, and at least two letters are left to tell the word by."""
        shown = [(place, char) for place, char in enumerate(core) if char not in _HIDING]
        if len(shown) < 2 or len(shown) == len(core):
            return ""
        candidates = self._by_letter.get((len(core), *shown[0]), ())
        return next((word for word in candidates if all(word[place] == char for place, char in shown)), "")

    def _words_at(self, letters: str, start: int) -> Iterator[tuple[int, float]]:
        """(end, cost) of every known word that begins at `start`; a familiar word costs less."""
        node = self._tree
        for end in range(start, len(letters)):
            node = node.get(letters[end], _NO_BRANCH)
            if not node:
                return
            if _WORD_END in node:
                yield end + 1, 1 + self._rank[letters[start : end + 1]] / len(self._rank)

    def _segments(self, letters: str, *, whole: bool) -> str:
        """
        Letters without spaces → the known words that make them up, few and familiar ones first; `whole`: nothing
        unless they make up all of it.
        """
        unreached = float(len(letters) * _UNKNOWN_LETTER_COST + 1)
        costs, starts = [0.0, *[unreached] * len(letters)], [0] * (len(letters) + 1)
        for start in range(len(letters)):
            if costs[start] + _UNKNOWN_LETTER_COST < costs[start + 1]:
                costs[start + 1], starts[start + 1] = costs[start] + _UNKNOWN_LETTER_COST, start
            for end, cost in self._words_at(letters, start):
                if costs[start] + cost < costs[end]:
                    costs[end], starts[end] = costs[start] + cost, start
        words: list[str] = []
        end = len(letters)
        while end:
            words.append(letters[starts[end] : end])
            end = starts[end]
        if whole and any(word not in self._rank for word in words):
            return ""
        return " ".join(reversed(words)) if any(len(word) > 2 and word in self._rank for word in words) else ""


def _letter_tree(words: Iterable[str]) -> _LetterTree:
    tree: _LetterTree = {}
    for word in words:
        node = tree
        for letter in word:
            node = node.setdefault(letter, {})
        node[_WORD_END] = {}
    return tree


def _past_marks(characters: str, start: int, end: int) -> int:
    """Where a disguised word ends when the mark between its letters also follows the last of them: "k_i_l_l_"."""
    while end < len(characters) and characters[end] in "~*-." and characters[end] in characters[start:end]:
        end += 1
    return end


def _is_stretched(word: str) -> bool:
    """
    Three of a letter in a row, or two of one that English does not double, or two such pairs: "diiie", "suuicide",
    "kkiill".
    """
    runs = [(letter, len(list(run))) for letter, run in itertools.groupby(word)]
    doubles = sum(length > 1 for _, length in runs)
    return doubles > 1 or any(length > 2 or (length == 2 and letter in _DOUBLED) for letter, length in runs)
