"""Who undertakes what for whom, and what becomes of it."""

from __future__ import annotations

import pytest

from tests.offline.reading.asking import reading

PHOTO = {"who": "Ana", "to": "Ella", "what": "send the photo of the quay", "due": "2026-12-08 Tue"}
ASK = {"who": "Ella", "to": "Ana", "what": "ask how the exam went", "due": "2026-12-01 Tue"}


def changes(person: str, ella: str = "", *open_promises: dict[str, str]) -> list[tuple[str, str, str, str, str]]:
    found = reading(person, ella, open_promises=list(open_promises)).promises
    return [(each.change.value, each.who, each.to, each.what, each.when_words) for each in found]


@pytest.mark.parametrize(
    ("told", "what", "when"),
    [
        ("I'll send you the photo tomorrow.", "send the photo", "tomorrow"),
        ("I promise I'll call my mother on Sunday.", "call my mother", "on Sunday"),
        ("I promise to be careful on the ice.", "be careful on the ice", ""),
        ("I'll help you with the boxes.", "help Ella with the boxes", ""),
        ("I'll let you know how it goes!", "let Ella know how it goes", ""),
    ],
)
def test_a_promise_is_kept_in_words_that_stand_alone(told: str, what: str, when: str) -> None:
    assert changes(told) == [("made", "person", "ella", what, when)]


def test_ella_promises_too() -> None:
    made = changes("My exam is on Friday.", "I'll ask you on Friday evening how the exam went.")
    assert made == [("made", "ella", "person", "ask how the exam went", "on Friday evening")]


@pytest.mark.parametrize(
    "told",
    [
        "I'll tell you what, it was great.",
        "I'll do my best.",
        "If I find it I'll send you the photo.",
        "I would send you a photo.",
        "Shall I send you the photo?",
        "I want to learn to bake.",
        "I'll let you know.",
        "I'll keep you posted.",
        "I'll miss you.",
    ],
)
def test_a_wish_a_plan_or_a_manner_of_speaking_is_no_promise(told: str) -> None:
    assert changes(told) == []


@pytest.mark.parametrize(
    ("told", "change", "when"),
    [
        ("I sent you the photo.", "kept", ""),
        ("Here is the photo of the quay. [photo: a quay]", "kept", ""),
        ("I forgot to send the photo, sorry.", "broken", ""),
        ("I didn't manage to send it.", "broken", ""),
        ("I can't send the photo after all.", "withdrawn", ""),
        ("Never mind the photo.", "withdrawn", ""),
        ("Can I send the photo on Friday instead?", "moved", "on Friday"),
    ],
)
def test_an_open_promise_is_settled_in_its_own_words(told: str, change: str, when: str) -> None:
    assert changes(told, "", PHOTO) == [(change, "person", "ella", PHOTO["what"], when)]


def test_the_other_may_let_it_go() -> None:
    assert changes("Oh, forget about the exam.", "", ASK) == [("withdrawn", "ella", "person", ASK["what"], "")]


def test_asking_keeps_the_promise_to_ask() -> None:
    assert changes("Hello", "I said I would ask you how the exam went, so I'm asking.", ASK) == [
        ("kept", "ella", "person", ASK["what"], "")
    ]


def test_nothing_is_settled_that_was_not_open() -> None:
    assert changes("I sent you the photo.") == []
    assert changes("I took a photo of the harbour.", "", PHOTO) == []


def test_a_promise_made_again_is_not_made_twice() -> None:
    assert changes("I'll send you the photo of the quay.", "", PHOTO) == []
