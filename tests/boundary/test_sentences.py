"""Where a sentence ends, and that a stream finds the same ends however it is cut."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from boundary.sentences import LONGEST, SentenceStream, split

PROSE = st.text(st.sampled_from("aB .!?…\n\"”)'*。」,1"), max_size=120) | st.text(max_size=200)
LONG = st.lists(st.sampled_from(["word ", "Mr. ", "x" * 90, "end. ", "\n", "   ", "…", "no "]), max_size=80).map(
    "".join
)


def sentences(text: str) -> list[str]:
    return [text[start:end] for start, end in split(text)]


def streamed(pieces: list[str]) -> list[str]:
    stream = SentenceStream()
    found = [sentence for piece in pieces for sentence in stream.feed(piece)]
    rest = stream.flush()
    return [*found, rest] if rest else found


@pytest.mark.parametrize(
    "parts",
    [
        ["Hello there. ", "How are you?"],
        ["Mr. Ames waited. ", "Dr. Bell came at 5 p.m. on Monday."],
        ["It cost 3.50 euros. ", "Cheap!"],
        ["See e.g. the red one. ", "Or not."],
        ["J. K. Ames wrote it. ", "So did I. ", "Really."],
        ["“Stop!” she said. ", "He did not."],
        ["(It rained.) ", "We left."],
        ["Well... maybe later. ", "Or now."],
        ["Well... ", "Maybe later."],
        ["One line\n", "another line\n\n", "a third"],
        ["今日は雨。", "明日は晴れ！", "よかった"],
        ["Wait?! ", "What?"],
        ["no capital. ", "also none."],
        ["1. Eggs and milk. ", "Then home."],
        ["*waves.* ", "Hello."],
        ["look at https://example.com/a.b?c=d please. ", "Thanks."],
    ],
)
def test_sentences_end_where_a_reader_would_end_them(parts: list[str]) -> None:
    assert sentences("".join(parts)) == parts


def test_a_text_without_stops_is_broken_at_a_space() -> None:
    text = "word " * 300
    found = sentences(text)
    assert "".join(found) == text
    assert len(found) > 1
    assert all(len(sentence) <= LONGEST and sentence.endswith(" ") for sentence in found)


def test_nothing_comes_of_nothing() -> None:
    assert split("") == []
    stream = SentenceStream()
    assert (stream.feed(""), stream.flush()) == ([], "")


def test_a_sentence_is_handed_over_as_soon_as_the_next_begins() -> None:
    stream = SentenceStream()
    assert stream.feed("Hello the") == []
    assert stream.feed("re.") == []
    assert stream.feed(" ") == []
    assert stream.feed("How") == ["Hello there. "]
    assert stream.flush() == "How"
    assert stream.flush() == ""


def test_a_decimal_cut_in_two_is_not_an_end() -> None:
    stream = SentenceStream()
    assert stream.feed("It is 3.") == []
    assert stream.feed("5 metres. Long") == ["It is 3.5 metres. "]


@given(PROSE | LONG)
def test_no_character_is_lost_or_moved(text: str) -> None:
    spans = split(text)
    assert "".join(text[start:end] for start, end in spans) == text
    assert all(start < end for start, end in spans)


@given(PROSE | LONG, st.data())
def test_a_stream_finds_the_same_sentences_however_it_is_cut(text: str, data: st.DataObject) -> None:
    cuts = sorted(data.draw(st.lists(st.integers(0, len(text)), max_size=12)))
    pieces = [text[start:end] for start, end in zip([0, *cuts], [*cuts, len(text)], strict=True)]
    assert streamed(pieces) == sentences(text)
    assert streamed(list(text)) == sentences(text)
