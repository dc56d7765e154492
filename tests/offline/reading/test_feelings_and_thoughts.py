"""What changed between the two, and what Ella said of herself."""

from __future__ import annotations

import pytest

from ella.offline.reading.lexicon import load
from tests.offline.reading.asking import reading


@pytest.mark.parametrize("sign", load("feelings")["feelings"], ids=lambda sign: sign["id"])
def test_every_sign_reads_its_examples_and_ignores_the_others(sign: dict[str, object]) -> None:
    reads, ignores = sign["reads"], sign["ignores"]
    assert isinstance(reads, list)
    assert isinstance(ignores, list)
    state = str(sign["state"]).format(other="Ella")
    for sentence in reads:
        assert [each.state for each in reading(sentence).relationships] == [state], sentence
    for sentence in ignores:
        assert reading(sentence).relationships == [], sentence


@pytest.mark.parametrize(
    "told", ["Thank you, that was kind of you!", "You are the best company.", "It is good to have you about."]
)
def test_thanks_and_compliments_change_nothing(told: str) -> None:
    assert reading(told).relationships == []


def test_a_feeling_has_its_cause() -> None:
    [feeling] = reading("Thank you for listening, I trust you.").relationships
    assert (feeling.who, feeling.towards, feeling.state) == ("person", "ella", "trusts Ella")
    assert "Thank you for listening" in feeling.cause


def test_what_ella_says_of_herself_is_a_thought_in_her_own_words() -> None:
    ella = "I'm glad you wrote. I walked down to the quay this morning. I think I'll go to bed early. How was your day?"
    found = [(each.content, each.about, each.certainty.value) for each in reading("Hello", ella).thoughts]
    assert found == [
        ("I walked down to the quay this morning.", ["world.village.quay"], "happened"),
        ("I think I'll go to bed early.", ["ellahome.interior.bed"], "maybe"),
    ]


def test_a_name_she_uses_is_traced_to_whom_it_means() -> None:
    known = ["companion · name = Biscuit"]
    [thought] = reading("Hello", "I gave Biscuit a talk about the curtains.", known=known).thoughts
    assert thought.about == ["companion"]


@pytest.mark.parametrize(
    "ella",
    [
        "I'm sorry to hear that.",
        "I don't have that, and I won't guess.",
        "I think you're right.",
        "I'll remember that: you like sailing.",
        "Where did you put the phone?",
    ],
)
def test_what_she_says_to_the_person_is_no_thought(ella: str) -> None:
    assert reading("Hello", ella).thoughts == []


def test_the_persons_words_are_never_her_thoughts() -> None:
    assert reading("I walked down to the quay this morning.", "Good.").thoughts == []
