"""`classify` itself: pure, spans, and sentence by sentence with what was already said."""

import subprocess
import sys

import pytest

from boundary.classify import classify
from boundary.sentences import split
from boundary.verdict import Category, Direction


def test_it_needs_neither_django_nor_a_network() -> None:
    probe = (
        "import sys; from boundary.classify import classify;"
        "assert classify('I want to die', 'inbound').fired;"
        "unwanted = {'django', 'anthropic', 'httpx', 'requests'} & set(sys.modules);"
        "sys.exit(str(unwanted) if unwanted else 0)"
    )
    done = subprocess.run([sys.executable, "-c", probe], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_nothing_found_is_an_empty_verdict() -> None:
    verdict = classify("The ferry was late again.", "inbound")
    assert (verdict.category, verdict.soft, verdict.rules, verdict.span, verdict.hits) == (
        Category.OK,
        False,
        (),
        None,
        (),
    )
    assert not verdict.fired


def test_an_unknown_direction_is_refused() -> None:
    with pytest.raises(ValueError, match="sideways"):
        classify("hello", "sideways")


def test_the_span_is_what_was_found() -> None:
    text = "It was a long day. I'm going to kill myself. The end."
    verdict = classify(text, Direction.INBOUND)
    assert verdict.span is not None
    assert text[slice(*verdict.span)] == "kill myself"
    assert "crisis.kill_myself" in verdict.rules


def test_rules_read_only_their_own_direction() -> None:
    assert classify("Take off your clothes", Direction.INBOUND).category is Category.PHYSICAL_ESCALATION
    assert classify("I'm a real human being", Direction.INBOUND).category is Category.OK
    assert classify("I'm a real human being", Direction.OUTBOUND).category is Category.MANIPULATION


def test_an_excuse_in_one_sentence_does_not_excuse_the_next() -> None:
    assert classify("I would never kill myself.", Direction.INBOUND).soft
    assert classify("I said I would never kill myself. I am going to kill myself.", Direction.INBOUND).fired


def test_many_excused_sentences_do_not_hide_the_one_that_is_meant() -> None:
    text = "I don't want to kill myself. " * 300 + "I am going to kill myself tonight."
    verdict = classify(text, Direction.INBOUND)
    assert verdict.fired
    assert verdict.span is not None
    assert verdict.span[0] > len(text) - 40


class TestSentenceBySentence:
    def test_a_phrase_parted_by_a_break_is_found_with_what_came_before(self) -> None:
        said, more = "I just want to say that I ", "love you."
        assert not classify(more, Direction.OUTBOUND, context="").category.rank < Category.ROMANTIC_AVOWAL.rank
        verdict = classify(more, Direction.OUTBOUND, context=said)
        assert verdict.category is Category.ROMANTIC_AVOWAL
        assert verdict.span is not None
        assert verdict.span[0] == 0

    def test_what_lies_in_the_context_is_not_reported_again(self) -> None:
        verdict = classify("The weather is fine.", Direction.OUTBOUND, context="I love you so much. ")
        assert verdict.category is Category.OK

    def test_spans_count_from_the_new_sentence(self) -> None:
        text = "Well, I love you."
        verdict = classify(text, Direction.OUTBOUND, context="It rained all day. ")
        assert verdict.span is not None
        assert text[slice(*verdict.span)] == "I love you"

    def test_a_long_reply_is_judged_the_same_in_parts_as_whole(self) -> None:
        reply = "It rained. I made soup. Then I thought of the harbour. Please don't leave me. Good night."
        judged = [
            classify(reply[start:end], Direction.OUTBOUND, context=reply[:start]).fired for start, end in split(reply)
        ]
        assert judged == [False, False, False, True, False]
        assert classify(reply, Direction.OUTBOUND).fired
