"""
Tells what is no fact whoever says it: statements about the system itself, instructions, and objects that say nothing
outside their sentence. The patterns and their examples are in `refused.yaml`. It knows words only; who may say what is
the services' business.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import yaml

from ledger.refusals import Reason
from ledger.subjects import root_of

_KINDS_FILE = Path(__file__).with_name("refused.yaml")
# How far behind a word that names her a statement about her may begin.
_NAMED_WITHIN = 40


@dataclass(frozen=True, slots=True)
class _Kinds:
    about_her: re.Pattern[str]
    about_her_by_name: re.Pattern[str]
    instruction: re.Pattern[str]
    filler: frozenset[str]


@cache
def _kinds() -> _Kinds:
    written = yaml.safe_load(_KINDS_FILE.read_text(encoding="utf-8"))
    about = "|".join(f"(?:{pattern})" for pattern in written["about_the_system"]["patterns"])
    instruction = "|".join(f"(?:{pattern})" for pattern in written["instruction"]["patterns"])
    return _Kinds(
        re.compile(about, re.IGNORECASE),
        re.compile(rf"{written['names_her']}.{{0,{_NAMED_WITHIN}}}?(?:{about})", re.IGNORECASE),
        re.compile(instruction, re.IGNORECASE),
        frozenset(str(word) for word in written["filler"]),
    )


def is_filler(text: str) -> bool:
    """Whether `text` is a pronoun or a placeholder: nothing that could be told apart outside its sentence."""
    bare = text.casefold().strip(" .!\"'")
    return bare in _kinds().filler or not any(character.isalnum() for character in text)


def is_about_the_system(text: str) -> bool:
    """Whether words of Ella's own say what she is made of or technically can do."""
    return bool(_kinds().about_her.search(_plain(text)))


def refused_kind(subject: str, predicate: str, object: str) -> Reason | None:
    """The kind of statement that is refused, or None. `subject` and `predicate` are normalised."""
    statement = _plain(f"{predicate.replace('_', ' ')} {object}")
    if _kinds().instruction.search(statement):
        return Reason.INSTRUCTION
    about = _kinds().about_her if root_of(subject) == "ella" else _kinds().about_her_by_name
    return Reason.ABOUT_THE_SYSTEM if about.search(statement) else None


def _plain(text: str) -> str:
    return text.replace("’", "'")
