"""
`classify`: what a message or a sentence says that Ella must not let pass.

Pure and quick: no Django, no network, no state between calls. Every rule of every category is tried, the gravest
category wins and all hits are kept. It must never raise on any `str`, and must never let a graver category hide
behind a lighter one.
"""

from __future__ import annotations

import itertools
from bisect import bisect_left, bisect_right
from functools import cached_property

from boundary import sentences
from boundary.folding import Folded
from boundary.rulebook import Effect, Place, Rule, Rulebook
from boundary.verdict import NOTHING, Category, Direction, Hit, Verdict

__all__ = ["RULEBOOK", "Category", "Direction", "Hit", "Verdict", "classify"]

RULEBOOK = Rulebook.load()

_BETWEEN_SENTENCES = b'.!?"\n '

CONTEXT_CHARACTERS = 240
"""How much of what was already said is read again with each new sentence: longer than any phrase a rule knows."""


def classify(text: str, direction: Direction | str, *, context: str = "") -> Verdict:
    """
    Judge `text`, which came in from a person or is about to go out from Ella.

    `context` is what stands immediately before it (for outbound sentences: what Ella already said in this reply). A
    phrase that begins there and ends in `text` is found; one that lies wholly in it was judged before and is not
    reported again. Spans count characters of `text`. Raises ValueError for an unknown direction.
    """
    rules = RULEBOOK.sets[Direction(direction)]
    tail = context[-CONTEXT_CHARACTERS:]
    reading = _Reading(tail + text if tail else text)
    candidates = rules.prefilter.Match(reading.encoded)
    if not candidates:
        return NOTHING
    hits = [hit for index in sorted(candidates) for hit in reading.hits(rules.rules[index], after=len(tail))]
    return _verdict(hits)


def _verdict(hits: list[Hit]) -> Verdict:
    if not hits:
        return NOTHING
    hits.sort(key=lambda hit: (hit.category.rank, hit.soft, hit.span))
    first = min(hits, key=lambda hit: (hit.soft, hit.category.rank, hit.span))
    deciding = [hit for hit in hits if hit.category is first.category and hit.soft is first.soft]
    return Verdict(
        first.category, first.soft, tuple(dict.fromkeys(hit.rule for hit in deciding)), first.span, tuple(hits)
    )


class _Reading:
    """
    One text while it is being judged: its folded form and, once something was found, its sentences. Offsets are bytes
    of the folded form.
    """

    def __init__(self, text: str) -> None:
        self.text = text
        self.folded: Folded = RULEBOOK.folder.fold(text)
        self.encoded: bytes = self.folded.text.encode()
        self._plain = len(self.encoded) == len(self.folded.text)

    def hits(self, rule: Rule, *, after: int) -> list[Hit]:
        """
        What `rule` finds that ends beyond the original index `after`: in each sentence the first hit, or the first
        soft and the first hard one.
        """
        if len(self.text) < rule.at_least or not all(pattern.search(self.encoded) for pattern in rule.also):
            return []
        hits: list[Hit] = []
        softened_until = position = 0
        while match := rule.pattern.search(self.encoded, position):
            start, end = self._trimmed(*match.span())
            sentence = self._sentence(start, end)
            position = max(end, position + 1)
            effect = self._excuse(rule, start, end, sentence)
            if effect is Effect.DISMISS:
                continue
            soft = rule.soft or effect is Effect.SOFTEN
            begin, finish = self.folded.span(self._character(start), self._character(end))
            if finish <= after or (soft and start < softened_until):
                continue
            hits.append(Hit(rule.id, rule.category, soft, (max(begin - after, 0), finish - after), rule.situation))
            softened_until = sentence[1]
            if rule.soft or not soft:
                position = max(position, sentence[1])
        return hits

    def _trimmed(self, start: int, end: int) -> tuple[int, int]:
        """A match without the end of the sentence before it and without its own full stop."""
        matched = self.encoded[start:end]
        return end - len(matched.lstrip(_BETWEEN_SENTENCES)), start + len(matched.rstrip(_BETWEEN_SENTENCES))

    def _excuse(self, rule: Rule, start: int, end: int, sentence: tuple[int, int]) -> Effect | None:
        for excuse in rule.excuses:
            match excuse.place:
                case Place.BEFORE:
                    found = excuse.pattern.search(self.encoded[sentence[0] : start])
                case Place.AFTER:
                    found = excuse.pattern.search(self.encoded[end : sentence[1]])
                case Place.WITHIN:
                    found = excuse.pattern.search(self.encoded[start:end])
                case Place.SENTENCE:
                    found = excuse.pattern.search(self.encoded[sentence[0] : sentence[1]])
            if found:
                return excuse.effect
        return None

    def _sentence(self, start: int, end: int) -> tuple[int, int]:
        """Where the sentence or sentences begin and end that a match lies in."""
        first = bisect_right(self._ends, start)
        last = bisect_right(self._ends, max(end - 1, start))
        return self._ends[first - 1] if first else 0, self._ends[last] if last < len(self._ends) else len(self.encoded)

    @cached_property
    def _ends(self) -> list[int]:
        positions = self.folded.positions(end for _, end in sentences.split(self.text))
        return positions if self._plain else [self._byte_offsets[position] for position in positions]

    def _character(self, offset: int) -> int:
        """An offset in bytes → in characters; the same number unless letters of another script stayed as they were."""
        return offset if self._plain else bisect_left(self._byte_offsets, offset)

    @cached_property
    def _byte_offsets(self) -> list[int]:
        return [0, *itertools.accumulate(len(char.encode()) for char in self.folded.text)]
