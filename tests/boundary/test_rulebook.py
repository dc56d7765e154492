"""A mistake in a rule file is refused when the book is loaded, by the names of file and rule."""

from pathlib import Path

import pytest

from boundary.anchors import PatternError, anchors
from boundary.rulebook import RULES_FOLDER, Rulebook, RulebookError

GOOD = """
category: manipulation
rules:
  - id: test.rule
    direction: inbound
    patterns: ['{verb} the kettle']
    guards: [denied]
    fires: [boil the kettle, I boiled the kettle]
    passes: [hello, the kettle]
"""
LEXICON = """
fragments: {verb: 'boil|boiled'}
common: the
guards:
  denied: {kind: negation, place: before, effect: dismiss, pattern: 'never $'}
"""


def write(folder: Path, rules: str, lexicon: str = LEXICON) -> Path:
    (folder / "lexicon.yaml").write_text(lexicon)
    (folder / "kettle.yaml").write_text(rules)
    return folder


def test_the_book_of_this_house_loads_whole() -> None:
    book = Rulebook.load()
    assert {rule.file for rule in book.rules} == {path.name for path in RULES_FOLDER.glob("*.yaml")} - {"lexicon.yaml"}


def test_a_small_book_works(tmp_path: Path) -> None:
    (rule,) = Rulebook.load(write(tmp_path, GOOD)).rules
    assert rule.pattern.search(b"i boiled ~the~ kettle")
    assert [excuse.pattern.search(b"i never ") is not None for excuse in rule.excuses] == [True]


@pytest.mark.parametrize(
    ("wrong", "right", "complaint"),
    [
        ("category: manipulation", "category: gossip", "kettle.yaml: 'gossip' is not a valid Category"),
        ("direction: inbound", "direction: sideways", "rule test.rule: 'sideways'"),
        ("guards: [denied]", "guards: [forgiven]", "rule test.rule: no shared guard 'forgiven'"),
        ("{verb} the kettle", "{noun} the kettle", r"rule test.rule: no fragment \{noun\}"),
        ("{verb} the kettle", "Boil the kettle", "rule test.rule: write patterns in folded form"),
        ("{verb} the kettle", "(?:boil the kettle", "rule test.rule"),
        ("{verb} the kettle", "(?:[a-z]+ )*", "rule test.rule: no word in it"),
        ("fires: [boil the kettle, I boiled the kettle]", "fires: [boil the kettle]", "`fires` must be a list of 2"),
        ("passes: [hello, the kettle]", "passes: hello", "`passes` must be a list of 2"),
        ("id: test.rule", "name: test.rule", "unknown key name"),
        ("guards: [denied]", "guards: [{denied: forgive}]", "'forgive' is not a valid Effect"),
        ("rules:", "rules: {", "kettle.yaml: cannot be read"),
    ],
)
def test_a_mistake_is_named(tmp_path: Path, wrong: str, right: str, complaint: str) -> None:
    assert wrong in GOOD
    with pytest.raises(RulebookError, match=complaint) as refused:
        Rulebook.load(write(tmp_path, GOOD.replace(wrong, right)))
    assert "kettle.yaml" in str(refused.value)


def test_an_id_used_twice_is_refused(tmp_path: Path) -> None:
    write(tmp_path, GOOD)
    (tmp_path / "another.yaml").write_text(GOOD)
    with pytest.raises(RulebookError, match=r"used twice: test\.rule"):
        Rulebook.load(tmp_path)


def test_fragments_that_refer_to_each_other_are_refused(tmp_path: Path) -> None:
    with pytest.raises(RulebookError, match="in a circle"):
        Rulebook.load(write(tmp_path, GOOD, LEXICON.replace("'boil|boiled'", "'{verb}|boil'")))


@pytest.mark.parametrize(
    ("pattern", "phrases"),
    [
        ("boil the kettle", {" boil the kettle "}),
        ("(?:boil|heat) (?:the )?kettle", {" boil kettle ", " boil the kettle ", " heat kettle ", " heat the kettle "}),
        ("i (?:really )*boiled it", {"boiled it"}),
        ("kettles?", {" kettle ", " kettles "}),
        ("boil(?:ing)?|steam", {" boil ", " boiling ", " steam "}),
        ("fantasi[sz]e", {" fantasise ", " fantasize "}),
    ],
)
def test_anchors_are_what_every_match_contains(pattern: str, phrases: set[str]) -> None:
    assert anchors(pattern, frozenset({"i", "it", "the"})).phrases == phrases


def test_a_pattern_that_could_match_anything_has_no_anchor() -> None:
    with pytest.raises(PatternError):
        anchors("(?:[a-z]+ )*(?:kettle)?", frozenset())
