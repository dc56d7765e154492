"""
What a fact is about: dotted lower-case paths such as `user.friend.tom` or `ellahome.exterior.door`, written one way
only, so that the same thing has the same key whoever names it. It never guesses a root: a subject that begins with
nothing it knows is refused.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import disarm
import yaml

from ledger.refusals import InvalidFact, Reason

MAX_DEPTH = 6
MAX_WORD_CHARS = 40
SUBJECT_MAX_CHARS = MAX_DEPTH * (MAX_WORD_CHARS + 1)
PERSON_ROOT = "user"

_VOCABULARY_FILE = Path(__file__).with_name("subjects.yaml")


@dataclass(frozen=True, slots=True)
class _Vocabulary:
    roots: frozenset[str]
    also_called: Mapping[str, str]
    folded_into: Mapping[str, str]
    relations: Mapping[str, str]


@cache
def _vocabulary() -> _Vocabulary:
    written = yaml.safe_load(_VOCABULARY_FILE.read_text(encoding="utf-8"))
    relations = {other: name for name, others in written["relations"].items() for other in others}
    return _Vocabulary(frozenset(written["roots"]), written["also_called"], written["folded_into"], relations)


def folded_word(text: str) -> str:
    """
    `text` as one word of a key: ASCII (names of any script are transliterated), lower case, underscores for whatever
    stood between. May be empty.
    """
    return str(disarm.slugify(text, separator="_"))


def normalised_subject(text: str) -> str:
    """
    The one way to write the subject `text` names.

    Raises `InvalidFact` (field `subject`): `malformed_subject` for an empty path or part, `subject_too_deep` beyond six
    parts, `unknown_subject` for a first word the ledger has no place for.
    """
    vocabulary = _vocabulary()
    words = [folded_word(part) for part in text.split(".")]
    if not all(words) or any(len(word) > MAX_WORD_CHARS for word in words):
        raise InvalidFact(Reason.MALFORMED_SUBJECT, "subject")
    words[0] = vocabulary.also_called.get(words[0], words[0])
    folded = vocabulary.folded_into.get(".".join(words[:2]))
    if folded:
        words[:2] = [folded]
    if len(words) > MAX_DEPTH:
        raise InvalidFact(Reason.SUBJECT_TOO_DEEP, "subject")
    if words[0] not in vocabulary.roots:
        raise InvalidFact(
            Reason.UNKNOWN_SUBJECT, "subject", f"{words[0]!r} is none of {', '.join(sorted(vocabulary.roots))}"
        )
    if words[0] == PERSON_ROOT and len(words) > 1:
        words[1] = vocabulary.relations.get(words[1], words[1])
    return ".".join(words)


def root_of(subject: str) -> str:
    return subject.partition(".")[0]


def is_own_life(subject: str) -> bool:
    """The person, or somebody in their life: the person's own word has authority here."""
    return root_of(subject) == PERSON_ROOT


def lies_under(subject: str, prefix: str) -> bool:
    """`user.friend` lies under `user`; `username` does not. Everything lies under an empty prefix."""
    return not prefix or subject == prefix or subject.startswith(f"{prefix}.")
