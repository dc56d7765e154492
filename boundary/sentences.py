"""
Sentences: where one ends and the next begins, in a whole text or in one that is still arriving.

Every character belongs to exactly one sentence (white space to the one it follows), so sentences put together again
are the text. The stream gives the same sentences however the text is cut into pieces. This module must never drop,
change or hold back a character it need not.
"""

from __future__ import annotations

import re

LONGEST = 400
"""
Characters without a stop after which a sentence is ended at a space, so that a reader of a stream is never left
waiting.
"""
_LONGEST_WITHOUT_SPACE = 2_000

_CLOSERS = "\"'”’»)]}」』*_~"
# A possible end: stops with what closes after them, or a line break.
_CANDIDATE = re.compile(rf"(?P<stops>[.!?…。！？｡।؟]+)(?P<closers>[{re.escape(_CLOSERS)}]*)|\n")
_WIDE_STOPS = frozenset("。！？｡")
_SPACE = re.compile(r"\s+")
_WORD_BEFORE = re.compile(r"[^\s(\[\"'“‘]*\Z")
# Words that end in a stop and never, or not as a rule, end a sentence by it.
_NEVER_LAST = re.compile(
    r"mrs?|m[sx]|dr|prof|rev|hon|st|sgt|capt|lt|col|gen|vs|e\.?g|i\.?e|cf|fig|approx|ca|al|mt|ft|dept|est|vol|pp"
    r"|z\.b|d\.h|bzw|sra?|mme"
)
_SOMETIMES_LAST = re.compile(r"etc|jr|inc|ltd|co|corp|[ap]\.m|u\.[skn]|d\.c|ph\.d|no|usw")


def _next_end(text: str, start: int, *, final: bool) -> int | None:
    """
    Where the sentence that begins at `start` ends, or None while more text could still move that end (never None when
    `final`).
    """
    begin = _begin(text, start)
    limit = begin + LONGEST
    for match in _CANDIDATE.finditer(text, begin):
        if match.start() >= limit:
            break
        space = _SPACE.match(text, match.end() if match.group() != "\n" else match.start())
        after = space.end() if space else match.end()
        if after >= len(text) and not final:
            return None
        if after >= len(text) or _is_end(text, match, after, spaced=space is not None):
            return after
    if len(text) > limit:
        return _forced(text, begin, limit, final=final)
    return len(text) if final else None


def _begin(text: str, start: int) -> int:
    leading = _SPACE.match(text, start)
    return leading.end() if leading else start


def _forced(text: str, begin: int, limit: int, *, final: bool) -> int | None:
    for position in range(limit, begin, -1):
        if text[position - 1].isspace() and not text[position].isspace():
            return position
    later = _SPACE.search(text, limit, begin + _LONGEST_WITHOUT_SPACE)
    if later and (later.end() < len(text) or final):
        return later.end()
    if len(text) > begin + _LONGEST_WITHOUT_SPACE:
        return begin + _LONGEST_WITHOUT_SPACE
    return len(text) if final else None


def _is_end(text: str, match: re.Match[str], after: int, *, spaced: bool) -> bool:
    """Does the candidate end a sentence? `after` is the first character that is not white space; it exists."""
    stops = match["stops"]
    if stops is None:
        return True
    if not spaced:
        return stops[-1] in _WIDE_STOPS
    if "\n" in text[match.end() : after]:
        return True
    follower = text[after]
    if stops in {".", "．"}:
        return not _is_abbreviation(text, match.start(), follower)
    if set(stops) <= {".", "…"}:  # "well... maybe" goes on; "Well... Maybe" does not
        return not follower.islower()
    if match["closers"].strip("*_~"):  # “Stop!” she said.
        return not follower.islower()
    return True


def _is_abbreviation(text: str, stop: int, follower: str) -> bool:
    before = _WORD_BEFORE.search(text, max(0, stop - 12), stop)
    word = before.group().strip(_CLOSERS) if before else ""
    lower = word.lower()
    if _NEVER_LAST.fullmatch(lower):
        return True
    if _SOMETIMES_LAST.fullmatch(lower):
        return not follower.isupper()
    # An initial (J. K. Rowling), though “I” ends many a sentence; and a list number (1. Eggs) at the start of a line.
    if len(word) == 1 and word.isupper() and word != "I":
        return True
    line_start = text.rfind("\n", 0, stop) + 1
    return word.isdigit() and len(word) <= 2 and text[line_start:stop].strip() == word


def split(text: str) -> list[tuple[int, int]]:
    """
    (start, end) of every sentence in order, without gap or overlap; trailing white space belongs to the sentence it
    follows.
    """
    spans: list[tuple[int, int]] = []
    start = 0
    while start < len(text):
        end = _next_end(text, start, final=True)
        end = len(text) if end is None else end
        spans.append((start, end))
        start = end
    return spans


class SentenceStream:
    """
    Cuts an arriving text into sentences.

    `feed` gives each sentence as soon as nothing that may still come could change where it ends, which is when the
    next one has begun. "".join of all that `feed` gave plus `flush` is exactly what was fed.
    """

    def __init__(self) -> None:
        self._waiting = ""

    def feed(self, delta: str) -> list[str]:
        self._waiting += delta
        sentences = []
        start = 0
        while start < len(self._waiting):
            end = _next_end(self._waiting, start, final=False)
            if end is None:
                break
            sentences.append(self._waiting[start:end])
            start = end
        self._waiting = self._waiting[start:]
        return sentences

    def flush(self) -> str:
        """What is left, at most one sentence; "" when nothing is. The stream is empty afterwards."""
        rest, self._waiting = self._waiting, ""
        return rest
