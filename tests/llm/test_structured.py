"""Structured answers, read item by item."""

import json
from enum import StrEnum
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel, ConfigDict, Field

from ella.llm.errors import ModelError
from ella.llm.structured import ParsedItem, parse_items


class Sort(StrEnum):
    FACT = "fact"
    WISH = "wish"


class Item(BaseModel):
    model_config = ConfigDict(extra="forbid")
    words: str = Field(max_length=20)
    sort: Sort


class Reading(BaseModel):
    items: list[Item]
    tags: list[str]
    mood: Sort | None


GOOD = {"words": "a red boat", "sort": "fact"}


def whole(**fields: Any) -> str:
    return json.dumps({"items": [], "tags": [], "mood": None, **fields})


def test_every_item_is_read_by_itself_and_a_bad_one_costs_only_itself() -> None:
    bad = {"words": "x" * 21, "sort": "rumour"}
    first, second, third, *rest = parse_items(whole(items=[GOOD, bad, {**GOOD, "sort": "wish"}]), Reading)
    assert first == ParsedItem("items", 0, GOOD, value=Item(words="a red boat", sort=Sort.FACT))
    assert not second.accepted
    assert second.raw == bad
    assert second.value is None
    assert "words: " in second.reason
    assert "sort: " in second.reason
    assert third.index == 2
    assert third.value.sort is Sort.WISH
    assert [item.field for item in rest] == ["mood"]


def test_lists_of_plain_values_and_single_fields_are_items_too() -> None:
    found = parse_items(whole(tags=["sea", 7], mood="wish"), Reading)
    assert [(item.field, item.index, item.value, item.accepted) for item in found] == [
        ("tags", 0, "sea", True),
        ("tags", 1, None, False),
        ("mood", 0, Sort.WISH, True),
    ]


@pytest.mark.parametrize("raw", ["a red boat", None, 7, {"words": "a"}])
def test_a_field_that_should_be_a_list_is_refused_and_the_others_are_read(raw: Any) -> None:
    first, *_, last = parse_items(whole(items=raw, mood="fact"), Reading)
    assert (first.field, first.accepted, first.raw) == ("items", False, raw)
    assert last.accepted


def test_a_fence_around_the_json_and_fields_nobody_asked_for_do_no_harm() -> None:
    (item,) = parse_items(f"```json\n{json.dumps({'items': [GOOD], 'note': 'hello'})}\n```", Reading)
    assert item.accepted


@pytest.mark.parametrize(
    "text",
    [
        "",
        "I would rather not.",
        "[1, 2]",
        '"items"',
        "null",
        '{"items": [',
        '{"items": [NaN], "tags": []}',
        "[" * 50_000,
        "{}",
        '{"error": "no"}',
        f'{{"items": [{"9" * 5_000}]}}',
    ],
)
def test_what_is_no_answer_is_an_error_and_never_an_empty_success(text: str) -> None:
    with pytest.raises(ModelError) as caught:
        parse_items(text, Reading)
    assert (caught.value.code, caught.value.permanent) == ("model_malformed", False)


def test_an_answer_that_says_nothing_changed_is_no_error() -> None:
    assert parse_items('{"items": []}', Reading) == []


def test_nothing_that_a_database_refuses_comes_through() -> None:
    text = '{"items": [{"words": "a\\u0000b \\ud83d \\ud83d\\ude00", "sort": "fact"}]}'
    (item,) = parse_items(text, Reading)
    assert item.value.words == "ab � 😀"
    assert item.raw["words"] == "ab � 😀"


@given(st.data())
def test_of_an_answer_cut_short_only_what_is_surely_whole_is_read(data: st.DataObject) -> None:
    text = json.dumps({"items": [GOOD, {**GOOD, "words": "a blue boat"}], "tags": ["sea", "salt", "storm"]})
    cut = text[: data.draw(st.integers(text.index("}") + 1, len(text) - 1))]
    expected = [Item(**GOOD), Item(words="a blue boat", sort=Sort.FACT), "sea", "salt", "storm"]
    try:
        accepted = [item.value for item in parse_items(cut, Reading, cut=True) if item.accepted]
    except ModelError:
        accepted = []  # the first item may still be the last one
        assert cut.count("{") < 4
    assert accepted == expected[: len(accepted)]
    assert len(accepted) >= cut.count("}") - 1


class Counts(BaseModel):
    words: list[str]
    counts: list[int]


def test_the_item_an_answer_was_cut_in_is_not_taken_for_whole() -> None:
    *whole_items, last = parse_items('{"words": ["sea"], "counts": [7, 12', Counts, cut=True)
    assert [item.value for item in whole_items] == ["sea", 7]
    assert (last.accepted, last.value) == (False, None)


def test_a_cut_answer_without_one_whole_item_is_truncated() -> None:
    with pytest.raises(ModelError) as caught:
        parse_items('{"items": [{"words": "a red', Reading, cut=True)
    assert caught.value.code == "model_truncated"
