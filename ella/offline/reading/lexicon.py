"""
The word lists the reader goes by, read once from `data/*.yaml`. It holds no rule of its own: what a word means for a reading is decided where it is used.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import yaml

_DATA = Path(__file__).parent / "data"


@cache
def load(name: str) -> dict[str, Any]:
    """The parsed `data/<name>.yaml`; the callers treat it as constant."""
    with (_DATA / f"{name}.yaml").open(encoding="utf-8") as file:
        parsed: dict[str, Any] = yaml.load(file, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))  # noqa: S506 - safe either way
    return parsed


def listed(text: str) -> tuple[str, ...]:
    """A comma-separated list of the data files as words."""
    return tuple(word.strip() for word in text.split(",") if word.strip())


def alternation(words: frozenset[str] | tuple[str, ...]) -> str:
    """A pattern that matches any of `words`, the longest first so that "kitchen table" wins over "kitchen"."""
    return "|".join(word.replace(".", r"\.") for word in sorted(words, key=lambda word: (-len(word), word)))


_LEXICON = load("lexicon")
_PLACES = load("places")

# "mum" → "mother": every word for a relation or a pet, with its canonical name, which is also its place in a fact's subject.
RELATION_OF: dict[str, str] = {
    word: relation
    for group in _LEXICON["relations"].values()
    for relation, words in group.items()
    for word in listed(words)
}
MANY_RELATIONS = frozenset(_LEXICON["relations"]["many"])
PETS = frozenset(_LEXICON["relations"]["pets"])
RELATION_ADJECTIVES = frozenset(listed(_LEXICON["relation_adjectives"]))
PRONOUN_OF: dict[str, str] = {relation: pronoun for pronoun in ("she", "he") for relation in listed(_LEXICON[pronoun])}

OCCUPATIONS = frozenset(listed(_LEXICON["occupations"]))
HAVABLES = frozenset(listed(_LEXICON["havables"]))
CONDITIONS = frozenset(listed(_LEXICON["conditions"]))
EVENTS = frozenset(listed(_LEXICON["events"]))
COLOURS = frozenset(listed(_LEXICON["colours"]))
LANGUAGES = frozenset(listed(_LEXICON["languages"]))
COMPANIONS = frozenset(listed(_LEXICON["companion"]))
# "door" → "ellahome.exterior.door"
WORLD_OF: dict[str, str] = {
    word: path.replace("*", word.replace(" ", "_"))
    for path, words in _LEXICON["world"].items()
    for word in listed(words)
}

THINGS = frozenset(listed(_PLACES["things"]))
PLACES = frozenset(listed(_PLACES["places"]))
WHEREABOUTS = frozenset(listed(_PLACES["whereabouts"]))
FIGURES = frozenset(listed(_PLACES["figures"]))
