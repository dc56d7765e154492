"""
Chooses among the variants of a line: always the same one for the same request, none that she has just used, none
whose words the prompt cannot fill.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Mapping

from ella.offline.reading.lexicon import load
from ella.offline.reading.mirror import sayable
from ella.offline.reading.prompt import FactLine, Prompt

_REPLIES: dict[str, list[str]] = load("replies")
_SLOT = re.compile(r"\{(\w+)\}")
_PLAIN_COLOUR_WORDS = 2


class Wording:
    """The choices for one request. `fill` holds the words the prompt gives to every line."""

    def __init__(self, prompt: Prompt) -> None:
        last = prompt.said_by_ella[-1] if prompt.said_by_ella else ""
        self._seed = f"{prompt.message}\x00{len(prompt.chat)}\x00{last}".encode("utf-8", "surrogatepass")
        self._before = [_folded(text) for text in prompt.said_by_ella]
        self.fill = _world(prompt)

    def number(self, purpose: str, below: int) -> int:
        """A number from 0 to `below` − 1 that depends on nothing but the request."""
        digest = hashlib.sha256(self._seed + purpose.encode("utf-8", "surrogatepass")).digest()
        return int.from_bytes(digest[:8], "big") % below

    def line(self, occasion: str, words: Mapping[str, str] | None = None, *, fresh: bool = False) -> str:
        """A variant for the occasion, filled; "" when none can be filled, or with `fresh` when all were said lately."""
        return self.among(_REPLIES[occasion], occasion, words, fresh=fresh)

    def among(
        self, variants: Iterable[str], purpose: str, words: Mapping[str, str] | None = None, *, fresh: bool = False
    ) -> str:
        """One of `variants` by the same rule."""
        known = {**self.fill, **(words or {})}
        filled = [
            _filled(variant, known)
            for variant in variants
            if {slot.lower() for slot in _SLOT.findall(variant)} <= known.keys()
        ]
        ranked = sorted(filled, key=lambda text: (self._said_at(text), self.number(f"{purpose}\x00{text}", 1 << 32)))
        if not ranked or (fresh and self._said_at(ranked[0]) >= 0):
            return ""
        return ranked[0]

    def _said_at(self, text: str) -> int:
        """The place of the last of her messages that has this line in it, −1 when none has."""
        wanted = _folded(text)
        return max((index for index, said in enumerate(self._before) if wanted in said), default=-1)


def _filled(variant: str, known: Mapping[str, str]) -> str:
    def word(match: re.Match[str]) -> str:
        slot = match.group(1)
        value = known[slot.lower()]
        return value[:1].upper() + value[1:] if slot[0].isupper() else value

    text = _SLOT.sub(word, variant)
    return text[:1].upper() + text[1:]


def _world(prompt: Prompt) -> dict[str, str]:
    """What the prompt says of her world, as words for a line."""
    words = {"name": prompt.name} if sayable(prompt.name) else {}
    for fact in prompt.facts:
        if fact.tier in {"canon", "observed", "inferred"} and not fact.disputed:
            for slot, value in _slots(fact):
                words.setdefault(slot, value)
    if "pet" not in words and "animal" in words:
        words["pet"] = f"the {words['animal']}"
    return words


def _slots(fact: FactLine) -> Iterable[tuple[str, str]]:
    told = fact.object.strip(" .")
    key = (fact.subject, fact.predicate)
    if not sayable(told):
        return
    if key == ("companion", "name"):
        yield "pet", told
    elif key == ("companion", "species"):
        yield "animal", told.split()[-1]
    elif key == ("ellahome.exterior.door", "colour") and len(told.split()) <= _PLAIN_COLOUR_WORDS:
        yield "door", told
    elif key == ("world.village", "landmark"):
        yield "landmark", re.sub(r"^an? ", "the ", told)
    elif key == ("ellahome.interior.kitchen", "favourite_mug"):
        yield "mug", told
    else:
        slot = {
            ("world.village", "name"): "village",
            ("world.neighbour", "name"): "neighbour",
            ("ellahome", "street"): "street",
        }.get(key)
        slot = slot or {"view": "view", "weather": "weather"}.get(fact.predicate)
        if slot and not fact.subject.startswith("user"):
            yield slot, told


def _folded(text: str) -> str:
    return re.sub(r"\W+", " ", text.lower()).strip()
