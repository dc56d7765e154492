"""
English verbs as far as the reader needs them: what "sent" is a form of, and which words of a phrase carry its meaning.
"""

from __future__ import annotations

import re

from ella.offline.reading.lexicon import listed, load

_WORDS = load("words")
# "sent" → "send"
_IRREGULAR: dict[str, str] = {form: verb for verb, forms in _WORDS["irregular"].items() for form in listed(forms)}
_EMPTY = frozenset(listed(_WORDS["empty"]))
_SAME: dict[str, str] = {word: group[0] for group in map(listed, _WORDS["synonyms"]) for word in group}
_BASE_FORMS = frozenset(listed(_WORDS["base_forms"]))
_TOKEN = re.compile(r"[^\W_]+(?:['’][^\W_]+)?")
_DOUBLED = re.compile(r"([bdgmnprt])\1\Z")


def forms() -> frozenset[str]:
    """Every form of every verb the lists know, for telling where a noun phrase ends."""
    return frozenset(_IRREGULAR) | frozenset(_WORDS["irregular"]) | frozenset(listed(_WORDS["verbs"]))


def is_base_form(word: str) -> bool:
    """Whether `word` is the bare form of a verb the lists know ("visit", "call")."""
    return word in _WORDS["irregular"] or word in _BASE_FORMS


def tokens(text: str) -> list[str]:
    """The words of a text in lower case, a possessive or contracted ending taken off."""
    return [re.split(r"['’]", word)[0] for word in _TOKEN.findall(text.lower())]


def stem(word: str) -> str:
    """One form for the forms of a word: "kept" and "keeps" → "keep", "mum" → "mother", "colours" → "colour"."""
    word = _SAME.get(word, word)
    if word in _IRREGULAR:
        word = _IRREGULAR[word]
    elif len(word) > 3 and word.endswith("ies"):
        word = f"{word[:-3]}y"
    elif len(word) > 4 and word.endswith(("ches", "shes", "sses", "xes")):
        word = word[:-2]
    elif len(word) > 3 and word.endswith("s") and not word.endswith(("ss", "us", "is")):
        word = word[:-1]
    elif len(word) > 5 and word.endswith("ing"):
        word = _DOUBLED.sub(r"\1", word[:-3])
    elif len(word) > 4 and word.endswith("ed"):
        word = _DOUBLED.sub(r"\1", word[:-2])
    word = word[:-1] if len(word) > 4 and word.endswith("e") else word
    return _SAME.get(word, word)


def content(text: str) -> list[str]:
    """The stems of the words that carry meaning, in order."""
    return [stem(word) for word in tokens(text) if word not in _EMPTY and len(word) > 1 and stem(word) not in _EMPTY]
