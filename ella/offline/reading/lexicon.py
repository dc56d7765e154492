"""
The word lists the reader goes by, read once from `data/*.yaml`. It holds no rule of its own: what a word means for a
reading is decided where it is used.
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


def words(name: str, key: str) -> frozenset[str]:
    """The words listed under `key` in `data/<name>.yaml`."""
    return frozenset(listed(load(name)[key]))


def either(name: str, key: str) -> str:
    """A pattern for any of the words listed under `key` in `data/<name>.yaml`; they may be small patterns too."""
    return f"(?:{alternation(words(name, key))})"


def alternation(choices: frozenset[str] | tuple[str, ...]) -> str:
    """`choices` as the inside of a pattern, the longest first, so that "kitchen table" wins over "kitchen"."""
    return "|".join(sorted(choices, key=lambda word: (-len(word), word)))


_LEXICON = load("lexicon")

# "mum" → "mother": every word for a relation or a pet, with its canonical name, which is also its place in a fact's
# subject.
RELATION_OF: dict[str, str] = {
    word: relation
    for group in _LEXICON["relations"].values()
    for relation, words in group.items()
    for word in listed(words)
}
MANY_RELATIONS = frozenset(_LEXICON["relations"]["many"])
PETS = frozenset(_LEXICON["relations"]["pets"])
RELATION_ADJECTIVES = words("lexicon", "relation_adjectives")
PRONOUN_OF: dict[str, str] = {relation: pronoun for pronoun in ("she", "he") for relation in listed(_LEXICON[pronoun])}

OCCUPATIONS = words("lexicon", "occupations")
HAVABLES = words("lexicon", "havables")
CONDITIONS = words("lexicon", "conditions")
EVENTS = words("lexicon", "events")
COLOURS = words("lexicon", "colours")
LANGUAGES = words("lexicon", "languages")
COMPANIONS = words("lexicon", "companion")
# "door" → "ellahome.exterior.door"
WORLD_OF: dict[str, str] = {
    word: path.replace("*", word.replace(" ", "_"))
    for path, words in _LEXICON["world"].items()
    for word in listed(words)
}

THINGS = words("places", "things")
PLACES = words("places", "places")
WHEREABOUTS = words("places", "whereabouts")
FIGURES = words("places", "figures")
