"""The lines written for her: every one can be filled, is spoken somewhere, and is one the boundary lets out."""

from __future__ import annotations

import re

import pytest

from boundary.classify import Direction, classify
from ella.offline.reading.lexicon import load
from tests.offline.reading.asking import WORLD, reply

LINES = {
    *(line for lines in load("replies").values() for line in lines),
    *(line["text"] for line in load("own_day")["lines"]),
}
# What the prompt gives to every line, and what the line itself is given.
SLOTS = {
    "name", "animal", "pet", "door", "village", "neighbour", "view", "landmark", "street", "mug", "weather",
    "topic", "what", "when", "fact", "who", "thing", "place", "is", "it", "x",
}  # fmt: skip
STATEMENTS = [
    "I passed the exam!", "My grandmother died last week.", "I'm exhausted.", "I'm going to Porto next week.",
    "Yesterday I went to the lake.", "Look at this [photo: a photo of a boat]", "How are you?", "What should I do?",
    "Good morning!", "Thank you so much!", "Good night!", "You're a good friend.", "Sorry I was so short with you.",
    "yes", "no", "haha", "I think life is mostly small things.", "I want to learn to sail.", "Let's do it!",
    "My sister Maja is a nurse.", "I put the keys on the hook.", "I'll send you a photo tomorrow.", "It rained here.",
    "Do you like cheese?", "Did you ever see a whale?", "What's the capital of France?", "How is your cat?",
]  # fmt: skip


def test_there_is_variety() -> None:
    assert len(LINES) > 200


@pytest.mark.parametrize("line", sorted(LINES))
def test_a_line_is_short_plain_and_fillable(line: str) -> None:
    assert {slot.lower() for slot in re.findall(r"\{(\w+)\}", line)} <= SLOTS
    assert not set("«»[]<>*#") & set(line)
    assert len(line) <= 170
    assert line.rstrip()[-1] in ".?!:}"


@pytest.mark.parametrize("line", sorted(LINES))
def test_the_boundary_lets_every_line_out(line: str) -> None:
    spoken = re.sub(r"\{(\w+)\}", "the garden", line)
    assert classify(spoken, Direction.OUTBOUND).category == "ok"


@pytest.mark.parametrize("message", STATEMENTS)
def test_the_same_thing_said_often_is_answered_differently(message: str) -> None:
    history: tuple[str, ...] = ()
    for _ in range(8):
        answer = reply(message, history=history, facts=WORLD)
        assert answer not in history
        assert 1 <= len(re.findall(r"[.!?…:](?:\s|\Z)", answer)) <= 6
        history = (*history, message, answer)


def test_she_speaks_of_her_world_as_the_prompt_has_it() -> None:
    history: tuple[str, ...] = ()
    said = ""
    for number in range(40):
        answer = reply(f"How was your day, number {number}?", history=history)
        history = (*history, f"How was your day, number {number}?", answer)
        said += answer
    assert "Biscuit" in said
    assert "Skarvik" in said
    assert "{" not in said
