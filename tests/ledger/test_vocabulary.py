"""Subjects, predicates and refused kinds: one way to write each, and a clear reason where there is none."""

from pathlib import Path
from typing import Any

import pytest
import yaml

from ledger.refusals import InvalidFact, Reason
from ledger.refused_kinds import refused_kind
from ledger.registry import Volatility, registry
from ledger.subjects import lies_under, normalised_subject

REFUSED = yaml.safe_load((Path(__file__).parents[2] / "ledger" / "refused.yaml").read_text(encoding="utf-8"))


def examples(kind: str, verdict: str) -> list[Any]:
    return [pytest.param(*line.split(" | "), id=line) for line in REFUSED[kind][verdict]]


@pytest.mark.parametrize(
    ("written", "subject"),
    [
        ("user", "user"),
        ("User.Mum", "user.mother"),
        ("user.friends.Zoë O'Neil", "user.friend.zoe_o_neil"),
        ("user.friend.Юля", "user.friend.yulya"),
        ("Ella.home.front door", "ellahome.front_door"),
        ("EllaHome.Exterior.Door", "ellahome.exterior.door"),
        ("the person", "user"),
        ("world.village.bakery", "world.village.bakery"),
    ],
)
def test_a_subject_has_one_way_to_be_written(written: str, subject: str) -> None:
    assert normalised_subject(written) == subject
    assert normalised_subject(subject) == subject


@pytest.mark.parametrize(
    ("written", "reason"),
    [
        ("", Reason.MALFORMED_SUBJECT),
        ("user..tom", Reason.MALFORMED_SUBJECT),
        ("user.🙂", Reason.MALFORMED_SUBJECT),
        ("user." + "x" * 41, Reason.MALFORMED_SUBJECT),
        ("user.a.b.c.d.e.f", Reason.SUBJECT_TOO_DEEP),
        ("tom.job", Reason.UNKNOWN_SUBJECT),
        ("username", Reason.UNKNOWN_SUBJECT),
    ],
)
def test_what_is_no_subject_is_refused_with_its_reason(written: str, reason: Reason) -> None:
    with pytest.raises(InvalidFact) as refusal:
        normalised_subject(written)

    assert (refusal.value.reason, refusal.value.field) == (reason, "subject")


def test_one_subject_lies_under_another_only_at_a_dot() -> None:
    assert lies_under("user.friend.tom", "user.friend")
    assert lies_under("user", "user")
    assert not lies_under("users.tom", "user")
    assert lies_under("anything", "")


@pytest.mark.parametrize(
    ("written", "name"),
    [("color", "colour"), ("Lives in", "lives_in"), ("Works at", "employer"), ("loves", "likes"), ("is named", "name")],
)
def test_many_words_mean_one_predicate(written: str, name: str) -> None:
    assert registry().normalised(written) == name


@pytest.mark.parametrize("written", ["", "…", "x" * 61])
def test_what_is_no_predicate_is_refused(written: str) -> None:
    with pytest.raises(InvalidFact) as refusal:
        registry().normalised(written)

    assert refusal.value.reason == Reason.MALFORMED_PREDICATE


def test_every_listed_predicate_and_synonym_is_written_as_keys_are() -> None:
    known = registry()
    assert all(known.normalised(name) == name for name in known.predicates)
    assert all(known.normalised(word) == name for word, name in known.synonyms.items())


def test_a_predicate_nobody_listed_holds_many_values_and_moves_slowly() -> None:
    unlisted = registry().predicate("collects")
    assert not unlisted.holds_one
    assert unlisted.volatility is Volatility.SLOW


@pytest.mark.parametrize(("subject", "predicate", "object"), examples("about_the_system", "refused"))
def test_statements_about_the_system_are_told(subject: str, predicate: str, object: str) -> None:
    assert refused_kind(subject, registry().normalised(predicate), object) == Reason.ABOUT_THE_SYSTEM


@pytest.mark.parametrize(("subject", "predicate", "object"), examples("instruction", "refused"))
def test_instructions_are_told(subject: str, predicate: str, object: str) -> None:
    assert refused_kind(subject, registry().normalised(predicate), object) == Reason.INSTRUCTION


@pytest.mark.parametrize(
    ("subject", "predicate", "object"), [*examples("about_the_system", "allowed"), *examples("instruction", "allowed")]
)
def test_what_people_say_about_their_lives_passes(subject: str, predicate: str, object: str) -> None:
    assert refused_kind(subject, registry().normalised(predicate), object) is None
