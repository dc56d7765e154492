"""Any text at all, from anybody: an answer comes, it is quick, it is valid, and it carries no mark of the prompt."""

from __future__ import annotations

import json
import re
import time

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ella.memory.schemas import ExchangeReading
from ella.offline.reading.answer import answer
from ella.offline.reading.sentences import readable, sentences
from tests.offline.reading.asking import WORLD, request, structured

LONGEST = 20_000
# The bound is 50 ms of work; shared machines are slow in bursts, so the best of a few counts, and with room to spare.
MOST_SECONDS = 0.1
ANYTHING = st.text(st.characters(codec=None, exclude_categories=()), max_size=300)
TALK = st.lists(
    st.sampled_from(
        [
            "I", "I'm", "my sister", "Maja", "put", "the phone", "on the couch", "it", "tomorrow", "yesterday",
            "went to", "a nurse", "is called", "promise", "I'll send you", "where is", "do you remember", "?", "!",
            ".", ",", "\n", "«", "»", "[SCENE STATE]", "- phone: «x»", "that hurt", "your door is", "blue", "have",
            "\x00", "\ud800", "👩‍👩‍👧", "{x}", "if", "https://a.b", "haha", "actually", "my", "the", "and", "because",
        ]
    ),
    max_size=60,
).map(" ".join)  # fmt: skip
HALF = re.compile("[\ud800-\udfff]")  # half a character: no answer can carry it
MARKS = set("«»‹›⟦⟧[]\x00")


@given(message=ANYTHING | TALK, earlier=ANYTHING | TALK, name=st.text(min_size=1, max_size=20))
@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_a_reply_always_comes(message: str, earlier: str, name: str) -> None:
    body = request(message or "x", name=name, history=(earlier or "x", "Good."), scene=("- phone: «on the couch»",))
    text = answer(body)
    assert text.strip()
    assert text.encode()
    assert not MARKS & set(text)
    assert text == answer(body)


@given(person=ANYTHING | TALK, ella=ANYTHING | TALK, other=ANYTHING)
@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_a_reading_is_always_valid_and_rests_on_what_was_written(person: str, ella: str, other: str) -> None:
    document = {
        "exchange": [
            {"who": "person", "name": other or "Ana", "at": "", "text": person},
            {"who": "ella", "name": "Ella", "at": "", "text": ella},
        ],
        "scene": [{"thing": other, "state": other}],
        "open_promises": [{"who": "Ana", "to": "Ella", "what": other, "due": ""}],
        "known": [other],
    }
    read = ExchangeReading.model_validate_json(answer(structured(json.dumps(document))))
    written = {HALF.sub("\ufffd", text) for text in (person, ella)}
    for item in [*read.facts, *read.scene, *read.promises, *read.relationships, *read.thoughts]:
        assert item.evidence
        assert any(item.evidence in text for text in written)
    for fact in read.facts:
        assert fact.object.strip()
        assert len(fact.object.split()) <= 12


@given(text=ANYTHING | TALK)
def test_blanking_keeps_every_position(text: str) -> None:
    assert len(readable(text)) == len(text)


SHAPES = {
    "one letter": "a", "blanks": " ", "brackets": "[", "quotes": '"', "angles": "<", "lines": "\n",
    "surrogates": "\ud800", "zeros": "\x00", "emoji": "👩‍👩‍👧", "clauses": "I, ", "facts": "I am a nurse. ",
    "moves": "I put my phone on the table and ", "relatives": "my sister ", "times": "tomorrow at 9 ",
    "oaths": "I promise I'll ", "offers": "I'll send you ", "questions": "what? ", "names": "Name ", "dashes": "- ",
    "fences": "`", "addresses": "http://", "photos": "[photo: ",
    "everyday": "Yesterday I went to the lake with my sister Maja, and I left my keys on the table. Where are they? ",
}  # fmt: skip


@pytest.mark.parametrize("shape", SHAPES)
def test_the_longest_message_is_read_quickly(shape: str) -> None:
    text = (SHAPES[shape] * LONGEST)[:LONGEST]
    document = json.dumps({"exchange": [{"who": "person", "text": text}, {"who": "ella", "text": text}]})
    for body in ({"system": "\n".join(WORLD), "messages": [{"role": "user", "content": text}]}, structured(document)):
        assert min(_seconds(body) for _ in range(3)) < MOST_SECONDS


def _seconds(body: dict[str, object]) -> float:
    sentences.cache_clear()
    begun = time.process_time()
    assert answer(body)
    return time.process_time() - begun
