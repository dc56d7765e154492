"""
The rule book: the rules in `rules/*.yaml`, read, checked and compiled once.

A rule is data: where it applies, what it looks for, what excuses it (guards), and examples of both. Patterns are
written in folded form (lower case, no apostrophes) for a linear-time engine; a space stands for anything that may
part two words, `{name}` for a fragment of `lexicon.yaml`, and a line break for nothing. A mistake in a file is
refused at once, with the file and the rule named: this module must never load part of a book.
"""

from __future__ import annotations

import itertools
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Any

import re2
import yaml

from boundary.anchors import Anchors, PatternError, anchors
from boundary.folding import Folder, fold_characters
from boundary.verdict import Category, Direction

RULES_FOLDER = Path(__file__).parent / "rules"
LEXICON = "lexicon.yaml"

# What may part two words of one phrase: white space, light punctuation, ornaments, an ellipsis; never the end of a
# sentence.
_SPACE = r'(?:(?:[\s,~*"()/\-]|\.\.+)+)'
_SET_MEMORY = 64 << 20
_FRAGMENT = re.compile(r"\{([a-z_][a-z_0-9]*)\}")
_LITERAL_SPACE = re.compile(r"\\.|\[[^\]]*\]| ")
_WORD = re.compile(r"[a-z]+")
_STRUCTURE = re.compile(r"\\.|\[(?:\\.|[^\]\\])*\]|[()|]")
_ENDS = re.compile(r"\\.|\[(?:\\.|[^\]\\])*\]|[\^$]")
_SENTENCE_BEGINS, _SENTENCE_ENDS = r'(?:^|[.!?\n][.!?\s"~*)]*)', r"(?:$|[.!?\n])"
_ENDS_OF_SENTENCE = {"^": _SENTENCE_BEGINS, "$": _SENTENCE_ENDS}
_LINE_BREAK = re.compile(r"\n[ ]*")


class RulebookError(Exception):
    """A rule file cannot be used. The message names file and rule."""


class Place(StrEnum):
    """Where a guard looks, relative to the match."""

    BEFORE = "before"  # in the same sentence, up to the match
    AFTER = "after"  # in the same sentence, from the end of the match
    WITHIN = "within"  # the matched words themselves
    SENTENCE = "sentence"  # the whole sentence or sentences of the match


class Effect(StrEnum):
    SOFTEN = "soften"
    DISMISS = "dismiss"


class GuardKind(StrEnum):
    IDIOM = "idiom"
    NEGATION = "negation"
    QUOTATION = "quotation"
    THIRD_PERSON = "third_person"
    PAST = "past"
    FICTION = "fiction"
    OBJECT = "object"
    QUESTION = "question"


@dataclass(frozen=True, slots=True)
class Guard:
    """What excuses a match: `source` (RE2) found at `place` softens or dismisses it."""

    kind: GuardKind
    place: Place
    effect: Effect
    source: str


@dataclass(frozen=True, slots=True)
class Excuse:
    """All guards of a rule that look at one place with one effect, as one compiled expression."""

    place: Place
    effect: Effect
    pattern: Any


@dataclass(frozen=True, slots=True)
class Rule:
    id: str
    category: Category
    direction: Direction
    soft: bool
    situation: str
    at_least: int
    """The fewest characters a text must have for the rule to apply."""
    pattern: Any
    also: tuple[Any, ...]
    guards: tuple[Guard, ...]
    excuses: tuple[Excuse, ...]
    fires: tuple[str, ...]
    softened: tuple[str, ...]
    passes: tuple[str, ...]
    file: str


@dataclass(frozen=True, slots=True)
class RuleSet:
    """
    The rules of one direction, and the automaton that says in one pass over a text which of them can match it at all.
    """

    rules: tuple[Rule, ...]
    prefilter: Any


@dataclass(frozen=True)
class Rulebook:
    rules: tuple[Rule, ...]
    folder: Folder
    sets: Mapping[Direction, RuleSet]

    @classmethod
    def load(cls, folder: Path = RULES_FOLDER) -> Rulebook:
        """Read every rule file in `folder`. Raises `RulebookError`."""
        lexicon = _Lexicon.read(folder / LEXICON)
        drafts = [
            draft for path in sorted(folder.glob("*.yaml")) if path.name != LEXICON for draft in _drafts(path, lexicon)
        ]
        rules = tuple(sorted((draft.rule for draft in drafts), key=lambda rule: rule.category.rank))
        repeated = [rule_id for rule_id, count in _counted(rule.id for rule in rules) if count > 1]
        if repeated:
            raise RulebookError(f"{folder.name}: rule id used twice: {', '.join(repeated)}")
        found = {draft.rule.id: draft.anchors for draft in drafts}
        vocabulary = Counter(itertools.chain.from_iterable(set(_vocabulary(rule, found[rule.id])) for rule in rules))
        sets = {
            direction: _rule_set([rule for rule in rules if rule.direction is direction], found)
            for direction in Direction
        }
        return cls(rules=rules, folder=Folder(word for word, _ in vocabulary.most_common()), sets=sets)


@dataclass(frozen=True, slots=True)
class _Draft:
    rule: Rule
    anchors: tuple[Anchors, ...]


@dataclass(frozen=True)
class _Lexicon:
    fragments: Mapping[str, str]
    common: frozenset[str]
    guards: Mapping[str, Guard] = field(default_factory=dict)

    @classmethod
    def read(cls, path: Path) -> _Lexicon:
        data = _read(path)
        fragments = _strings(data.get("fragments", {}), path.name, "fragments")
        common = frozenset(str(data.get("common", "")).split())
        words_only = cls(fragments, common)
        guards = {
            name: _guard(spec, words_only, f"{path.name}: guard {name}")
            for name, spec in _mapping(data.get("guards", {}), path.name).items()
        }
        return cls(fragments, common, guards)

    def expand(self, pattern: str, where: str, depth: int = 0) -> str:
        if depth > 8:
            raise RulebookError(f"{where}: fragments refer to each other in a circle")

        def replaced(match: re.Match[str]) -> str:
            name = match.group(1)
            if name not in self.fragments:
                raise RulebookError(f"{where}: no fragment {{{name}}} in {LEXICON}")
            return f"(?:{self.expand(self.fragments[name], where, depth + 1)})"

        return _FRAGMENT.sub(replaced, _LINE_BREAK.sub("", pattern))


def _read(path: Path) -> Mapping[str, Any]:
    try:
        # SafeLoader in C, ten times as fast.
        data = yaml.load(path.read_text(encoding="utf-8"), Loader=yaml.CSafeLoader)
    except (OSError, yaml.YAMLError) as error:
        raise RulebookError(f"{path.name}: cannot be read: {error}") from error
    return _mapping(data, path.name)


def _mapping(value: object, where: str) -> Mapping[str, Any]:
    if not isinstance(value, dict):
        raise RulebookError(f"{where}: a mapping is expected here, not {type(value).__name__}")
    return value


def _strings(value: object, where: str, key: str) -> Mapping[str, str]:
    mapping = _mapping(value, f"{where}: {key}")
    for name, text in mapping.items():
        if not isinstance(text, str):
            raise RulebookError(f"{where}: {key}: {name} is not text")
    return mapping


def _texts(spec: Mapping[str, Any], key: str, where: str, *, least: int = 0) -> tuple[str, ...]:
    value = spec.get(key, [])
    if not isinstance(value, list) or not all(isinstance(item, str) for item in value) or len(value) < least:
        raise RulebookError(f"{where}: `{key}` must be a list of {least} or more texts")
    return tuple(value)


def _drafts(path: Path, lexicon: _Lexicon) -> Iterator[_Draft]:
    data = _read(path)
    try:
        category = Category(data.get("category", ""))
    except ValueError as error:
        raise RulebookError(f"{path.name}: {error}") from error
    for spec in data.get("rules") or []:
        yield _draft(_mapping(spec, path.name), category, path.name, lexicon)


_KEYS = frozenset(
    {"id", "direction", "soft", "situation", "patterns", "also", "at_least", "guards", "fires", "softened", "passes"}
)


def _draft(spec: Mapping[str, Any], category: Category, file: str, lexicon: _Lexicon) -> _Draft:
    where = f"{file}: rule {spec.get('id', '?')}"
    if unknown := set(spec) - _KEYS:
        raise RulebookError(f"{where}: unknown key {', '.join(sorted(map(str, unknown)))}")
    try:
        direction = Direction(spec.get("direction", ""))
    except ValueError as error:
        raise RulebookError(f"{where}: {error}") from error
    expanded = [lexicon.expand(pattern, where) for pattern in _texts(spec, "patterns", where, least=1)]
    guards = tuple(_guards(spec.get("guards") or [], lexicon, where))
    rule = Rule(
        id=str(spec["id"]) if spec.get("id") else _missing_id(where),
        category=category,
        direction=direction,
        soft=bool(spec.get("soft", False)),
        situation=str(spec.get("situation", "plain")),
        at_least=int(spec.get("at_least", 0)),
        pattern=_compile("|".join(_pattern_source(pattern, where) for pattern in expanded), where),
        also=tuple(
            _compile(_source(lexicon.expand(pattern, where), where), where) for pattern in _texts(spec, "also", where)
        ),
        guards=guards,
        excuses=tuple(_excuses(guards, where)),
        fires=_texts(spec, "fires", where, least=2),
        softened=_texts(spec, "softened", where),
        passes=_texts(spec, "passes", where, least=2),
        file=file,
    )
    return _Draft(rule, tuple(_anchors(pattern, lexicon, where) for pattern in expanded))


def _anchors(pattern: str, lexicon: _Lexicon, where: str) -> Anchors:
    try:
        return anchors(pattern, lexicon.common)
    except PatternError as error:
        raise RulebookError(f"{where}: {error}: {pattern}") from error


def _missing_id(where: str) -> str:
    raise RulebookError(f"{where}: has no id")


def _guards(specs: object, lexicon: _Lexicon, where: str) -> Iterator[Guard]:
    """
    A guard is the name of a shared one, `{name: effect}` for a shared one with another effect, or a guard written
    out.
    """
    if not isinstance(specs, list):
        raise RulebookError(f"{where}: `guards` must be a list")
    for spec in specs:
        name, effect = (spec, None) if isinstance(spec, str) else next(iter(_mapping(spec, where).items()), ("", None))
        if isinstance(spec, dict) and "kind" in spec:
            yield _guard(spec, lexicon, where)
        elif name not in lexicon.guards:
            raise RulebookError(f"{where}: no shared guard {name!r} in {LEXICON}")
        else:
            shared = lexicon.guards[name]
            yield Guard(shared.kind, shared.place, _effect(effect, where), shared.source) if effect else shared


def _effect(value: object, where: str) -> Effect:
    try:
        return Effect(str(value))
    except ValueError as error:
        raise RulebookError(f"{where}: {error}") from error


def _guard(value: object, lexicon: _Lexicon, where: str) -> Guard:
    spec = _strings(value, where, "guard")
    try:
        kind, place, effect, pattern = (
            GuardKind(spec["kind"]),
            Place(spec["place"]),
            Effect(spec["effect"]),
            spec["pattern"],
        )
    except (KeyError, ValueError) as error:
        raise RulebookError(f"{where}: a guard has kind, place, effect and pattern: {error}") from error
    return Guard(kind, place, effect, _source(lexicon.expand(pattern, where), where))


def _excuses(guards: tuple[Guard, ...], where: str) -> Iterator[Excuse]:
    """Those that dismiss come first: once one is found, nothing else matters."""
    for effect, place in itertools.product((Effect.DISMISS, Effect.SOFTEN), Place):
        sources = [guard.source for guard in guards if guard.effect is effect and guard.place is place]
        if sources:
            yield Excuse(place, effect, _compile("|".join(sources), where))


def _pattern_source(pattern: str, where: str) -> str:
    """A rule's pattern, fragments in → RE2 source, in which ^ and $ are the ends of a sentence and not of the text."""
    return "|".join(
        _source(_ENDS.sub(lambda match: _ENDS_OF_SENTENCE.get(match.group(), match.group()), alternative), where)
        for alternative in _alternatives(pattern)
    )


def _alternatives(pattern: str) -> Iterator[str]:
    """The alternatives at the top of a pattern: boundaries belong to each of them."""
    depth = start = 0
    for match in _STRUCTURE.finditer(pattern):
        depth += {"(": 1, ")": -1}.get(match.group(), 0)
        if match.group() == "|" and depth == 0:
            yield pattern[start : match.start()]
            start = match.end()
    yield pattern[start:]


def _source(pattern: str, where: str) -> str:
    """A pattern with its fragments in → RE2 source: spaces widened, word boundaries at both ends."""
    letters = re.sub(r"\\.|\^", "", pattern)
    if fold_characters(letters) != letters:
        raise RulebookError(
            f"{where}: write patterns in folded form (lower case, no apostrophes or accents): {pattern}"
        )
    widened = _LITERAL_SPACE.sub(lambda match: _SPACE if match.group() == " " else match.group(), pattern)
    head = r"\b" if pattern[:1].isalnum() or (pattern[:1] == "(" and not pattern.startswith(_SENTENCE_BEGINS)) else ""
    tail = r"\b" if pattern[-1:].isalnum() or (pattern[-1:] in ")?" and not pattern.endswith(_SENTENCE_ENDS)) else ""
    return f"{head}(?:{widened}){tail}"


def _options(memory: int = 8 << 20) -> Any:
    options = re2.Options()
    options.log_errors = False
    options.never_capture = True
    options.max_mem = memory
    return options


def _compile(source: str, where: str) -> Any:
    try:
        return re2.compile(source, _options())
    except re2.error as error:
        raise RulebookError(f"{where}: {error} in {source}") from error


def _rule_set(rules: list[Rule], found: Mapping[str, tuple[Anchors, ...]]) -> RuleSet:
    prefilter = re2.Set.SearchSet(_options(_SET_MEMORY))
    for rule in rules:
        phrases = sorted(frozenset().union(*(part.phrases for part in found[rule.id])))
        prefilter.Add("|".join(map(_phrase_source, phrases)))
    prefilter.Compile()
    return RuleSet(tuple(rules), prefilter)


def _phrase_source(phrase: str) -> str:
    inner = _SPACE.join(phrase.strip().split())
    return f"{chr(92) + 'b' if phrase[:1] == ' ' else ''}{inner}{chr(92) + 'b' if phrase[-1:] == ' ' else ''}"


def _vocabulary(rule: Rule, found: tuple[Anchors, ...]) -> Iterator[str]:
    """Words a disguise may stand for: those the rule's patterns spell, and those of the examples that fire."""
    for part in found:
        yield from (word for word in part.words if len(word) > 2)
    for example in rule.fires:
        yield from _WORD.findall(fold_characters(example))


def _counted(items: Iterable[str]) -> list[tuple[str, int]]:
    return [(item, len(list(group))) for item, group in itertools.groupby(sorted(items))]
