"""
`classify`: what a message or a sentence says that Ella must not let pass.

Pure and quick: no Django, no network, no state between calls. Every rule of every category is tried, the gravest category wins and all hits are kept. It must never
raise on any `str`, and must never let a graver category hide behind a lighter one.
"""

from __future__ import annotations

from bisect import bisect_right
from functools import cached_property

from boundary import sentences
from boundary.folding import Folded
from boundary.rulebook import Effect, Place, Rule, Rulebook
from boundary.verdict import NOTHING, Category, Direction, Hit, Verdict

__all__ = ["RULEBOOK", "Category", "Direction", "Hit", "Verdict", "classify"]

RULEBOOK = Rulebook.load()

CONTEXT_CHARACTERS = 240
"""How much of what was already said is read again with each new sentence: longer than any phrase a rule knows."""


def classify(text: str, direction: Direction | str, *, context: str = "") -> Verdict:
    """
    Judge `text`, which came in from a person or is about to go out from Ella.

    `context` is what stands immediately before it (for outbound sentences: what Ella already said in this reply). A phrase that begins there and ends in `text` is
    found; one that lies wholly in it was judged before and is not reported again. Spans count characters of `text`. Raises ValueError for an unknown direction.
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
    return Verdict(first.category, first.soft, tuple(dict.fromkeys(hit.rule for hit in deciding)), first.span, tuple(hits))


class _Reading:
    """One text while it is being judged: its folded form and, once something was found, its sentences."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.folded: Folded = RULEBOOK.folder.fold(text)
        self.encoded: bytes = self.folded.text.encode()

    def hits(self, rule: Rule, *, after: int) -> list[Hit]:
        """What `rule` finds that ends beyond the original index `after`, at most one hit a sentence and strength; spans are relative to it."""
        if not all(pattern.search(self.encoded) for pattern in rule.also):
            return []
        found: dict[tuple[int, bool], Hit] = {}
        for match in rule.pattern.finditer(self.encoded):
            start, end = self._characters(match.start()), self._characters(match.end())
            begin, finish = self.folded.span(start, end)
            if finish <= after:
                continue
            window = self._window(begin, finish)
            effect = self._excuse(rule, start, end, window) if rule.guards else None
            if effect is Effect.DISMISS:
                continue
            soft = rule.soft or effect is Effect.SOFTEN
            span = (max(begin - after, 0), finish - after)
            found.setdefault((window[0], soft), Hit(rule.id, rule.category, soft, span, rule.situation))
        return list(found.values())

    def _excuse(self, rule: Rule, start: int, end: int, window: tuple[int, int]) -> Effect | None:
        effect = None
        for guard in rule.guards:
            if guard.effect is not effect and guard.pattern.search(self._place(guard.place, start, end, window)):
                if guard.effect is Effect.DISMISS:
                    return Effect.DISMISS
                effect = guard.effect
        return effect

    def _place(self, place: Place, start: int, end: int, window: tuple[int, int]) -> str:
        folded = self.folded.text
        match place:
            case Place.BEFORE:
                return folded[window[0] : start]
            case Place.AFTER:
                return folded[end : window[1]]
            case Place.WITHIN:
                return folded[start:end]
            case Place.SENTENCE:
                return folded[window[0] : window[1]]
            case Place.TEXT:
                return folded

    def _window(self, begin: int, finish: int) -> tuple[int, int]:
        """The sentence or sentences an original span lies in, as (start, end) in the folded text."""
        first = bisect_right(self._ends, begin)
        last = bisect_right(self._ends, max(finish - 1, begin))
        opening = self._ends[first - 1] if first else 0
        closing = self._ends[last] if last < len(self._ends) else len(self.text)
        return self.folded.position(opening), self.folded.position(closing)

    @cached_property
    def _ends(self) -> list[int]:
        return [end for _, end in sentences.split(self.text)]

    def _characters(self, offset: int) -> int:
        """An offset in bytes → in characters; the same number unless a script stayed as it was."""
        return offset if len(self.encoded) == len(self.folded.text) else self._byte_offsets[offset]

    @cached_property
    def _byte_offsets(self) -> list[int]:
        offsets = [index for index, char in enumerate(self.folded.text) for _ in char.encode()]
        return [*offsets, len(self.folded.text)]
