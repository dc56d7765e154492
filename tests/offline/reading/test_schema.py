"""Structured output: valid for the schema that was asked for, whatever it is."""

from __future__ import annotations

import json
from typing import Any, Literal

import jsonschema
import pytest
from pydantic import BaseModel, ConfigDict

from ella.memory.schemas import ExchangeReading
from ella.offline.reading.answer import answer
from ella.offline.reading.schema import Misfit, fitted, smallest
from tests.offline.reading.asking import structured


class Leaf(BaseModel):
    model_config = ConfigDict(extra="forbid")

    kind: Literal["keep", "both_true", "unsure"]
    reason: str | None
    score: float
    sure: bool


class Tree(BaseModel):
    model_config = ConfigDict(extra="forbid")

    title: str
    leaves: list[Leaf]
    first: Leaf
    count: int


EXCHANGE = {
    "exchange": [
        {"who": "person", "name": "Ana", "at": "", "text": "I moved to Faro. I put my phone on the table."},
        {"who": "ella", "name": "Ella", "at": "", "text": "I walked to the quay."},
    ]
}


def answered(text: str, schema: dict[str, Any]) -> Any:
    value = json.loads(answer(structured(text, schema)))
    jsonschema.validate(value, schema)
    return value


def test_an_unknown_schema_is_answered_with_its_smallest_value() -> None:
    value = answered("Decide.", Tree.model_json_schema())
    assert value == {
        "title": "",
        "leaves": [],
        "first": {"kind": "keep", "reason": None, "score": 0, "sure": False},
        "count": 0,
    }


def test_the_reading_is_valid_for_the_schema_of_extraction() -> None:
    value = answered(json.dumps(EXCHANGE), ExchangeReading.model_json_schema())
    assert [fact["object"] for fact in value["facts"]] == ["Faro"]
    assert value["scene"][0]["thing"] == "phone"
    assert value["thoughts"]


@pytest.mark.parametrize(
    "text", ["", "no json", "[]", "{}", '{"exchange": 3}', '{"exchange": [1, {"who": "person"}]}', "[" * 3000]
)
def test_a_document_of_another_shape_changes_nothing(text: str) -> None:
    value = answered(text, ExchangeReading.model_json_schema())
    assert value == {"facts": [], "scene": [], "promises": [], "relationships": [], "thoughts": []}


def test_a_grown_schema_is_still_answered_validly() -> None:
    schema = ExchangeReading.model_json_schema()
    schema["properties"]["counters"] = {"type": "array", "items": {"type": "string"}}
    schema["required"].append("counters")
    fact = schema["$defs"]["FactProposal"]
    fact["properties"]["confidence"] = {"type": "number"}
    fact["required"].append("confidence")
    del fact["properties"]["when_words"]
    fact["required"].remove("when_words")
    value = answered(json.dumps(EXCHANGE), schema)
    assert value["counters"] == []
    assert value["facts"][0]["confidence"] == 0
    assert "when_words" not in value["facts"][0]


def test_an_item_whose_choice_the_schema_no_longer_has_is_left_out() -> None:
    schema = ExchangeReading.model_json_schema()
    schema["$defs"]["Basis"]["enum"] = ["concluded"]
    value = answered(json.dumps(EXCHANGE), schema)
    assert value["facts"] == []
    assert value["scene"]


def test_a_schema_without_an_end_is_refused_rather_than_followed() -> None:
    endless = {
        "$defs": {"A": {"type": "object", "properties": {"a": {"$ref": "#/$defs/A"}}, "required": ["a"]}},
        "$ref": "#/$defs/A",
    }
    with pytest.raises(Misfit):
        smallest(endless, endless)


def test_a_value_of_the_wrong_type_is_a_misfit() -> None:
    with pytest.raises(Misfit):
        fitted("three", {"type": "integer"}, {})
