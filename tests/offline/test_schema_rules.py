"""Which schemas the provider could compile into a grammar, and which it refuses."""

import json
from enum import StrEnum
from typing import Literal

import anthropic
import pytest
from pydantic import BaseModel, ConfigDict


def closed(properties, required=None, **more):
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties) if required is None else required,
        "additionalProperties": False,
        **more,
    }


def ask(sdk, schema):
    return sdk.messages.create(
        model="claude-haiku-5-5",
        max_tokens=1000,
        messages=[{"role": "user", "content": "Hello"}],
        output_config={"format": {"type": "json_schema", "schema": schema}},
    )


TEXT = {"type": "string"}
REFUSED = {
    "not an object": ([], "Input should be an object"),
    "an open object": ({"type": "object", "properties": {}}, "must be explicitly set to false"),
    "an open object inside": (closed({"a": {"type": "array", "items": {"type": "object"}}}), "additionalProperties"),
    "an object of anything": (closed({"a": {"type": "object", "additionalProperties": TEXT}}), "additionalProperties"),
    "a minimum": (closed({"a": {"type": "integer", "minimum": 1}}), "minimum are not supported"),
    "a maximum": (closed({"a": {"type": "number", "exclusiveMaximum": 1}}), "exclusiveMaximum are not supported"),
    "a multiple": (closed({"a": {"type": "number", "multipleOf": 2}}), "multipleOf are not supported"),
    "a length": (closed({"a": {"type": "string", "maxLength": 9}}), "maxLength are not supported"),
    "many items": (closed({"a": {"type": "array", "items": TEXT, "maxItems": 9}}), "maxItems are not supported"),
    "two items": (closed({"a": {"type": "array", "items": TEXT, "minItems": 2}}), "values other than 0 or 1"),
    "unique items": (closed({"a": {"type": "array", "items": TEXT, "uniqueItems": True}}), "uniqueItems"),
    "one of": (closed({"a": {"oneOf": [TEXT, {"type": "null"}]}}), "Unsupported schema"),
    "no type": (closed({"a": {"description": "anything"}}), "Unsupported schema"),
    "an unknown type": (closed({"a": {"type": "date"}}), "Unsupported schema"),
    "an unknown keyword": (closed({"a": {"type": "string", "nullable": True}}), "nullable are not supported"),
    "an unknown string format": (closed({"a": {"type": "string", "format": "phone"}}), "'phone' is not supported"),
    "a look-ahead": (closed({"a": {"type": "string", "pattern": "^(?=x)"}}), "look-around"),
    "a list among choices": (closed({"a": {"enum": ["x", ["y"]]}}), "strings, numbers, booleans and null"),
    "no choices": (closed({"a": {"enum": []}}), "non-empty list"),
    "a required property that is not there": (closed({"a": TEXT}, ["a", "b"]), "'b' is not defined"),
    "a foreign reference": (closed({"a": {"$ref": "https://x.test/s.json"}}), "does not name a definition"),
    "allOf a reference": (
        closed({"a": {"allOf": [{"$ref": "#/$defs/T"}]}}, **{"$defs": {"T": TEXT}}),
        "'allOf' with '$ref'",
    ),
    "recursion": (
        {"$ref": "#/$defs/T", "$defs": {"T": closed({"inner": {"$ref": "#/$defs/T"}})}},
        "Recursive schemas are not supported",
    ),
    "25 optional properties": (closed({f"p{n}": TEXT for n in range(25)}, []), "too many optional parameters (25)"),
    "17 unions": (
        closed({f"p{n}": {"type": ["string", "null"]} for n in range(17)}),
        "too many parameters with union types (17)",
    ),
}


@pytest.mark.parametrize(("schema", "words"), REFUSED.values(), ids=REFUSED.keys())
def test_a_schema_the_provider_cannot_compile_is_refused(sdk, standin, schema, words):
    with pytest.raises(anthropic.BadRequestError) as refused:
        ask(sdk, schema)
    assert refused.value.api_message.startswith("output_config.format.schema: ")
    assert words in refused.value.api_message
    assert standin.requests()[-1]["usage"] is None


TAKEN = {
    "a plain value": {"type": "boolean"},
    "24 optional properties": closed({f"p{n}": TEXT for n in range(24)}, []),
    "16 unions": closed({f"p{n}": {"anyOf": [TEXT, {"type": "null"}]} for n in range(16)}),
    "one item at least": closed({"a": {"type": "array", "items": TEXT, "minItems": 1}}),
    "formats and patterns": closed(
        {"a": {"type": "string", "format": "date-time"}, "b": {"type": "string", "pattern": "^[a-z]+(?:-[a-z]+)*$"}}
    ),
    "one definition used twice": closed(
        {"a": {"$ref": "#/$defs/T"}, "b": {"$ref": "#/$defs/T"}}, **{"$defs": {"T": closed({"x": TEXT})}}
    ),
    "defaults and words": closed({"a": {"type": "string", "default": "", "title": "A", "description": "a"}}),
}


@pytest.mark.parametrize("schema", TAKEN.values(), ids=TAKEN.keys())
def test_a_schema_the_provider_can_compile_is_taken_and_answered_in_json(sdk, schema):
    message = ask(sdk, schema)
    assert message.stop_reason == "end_turn"
    json.loads(message.content[0].text)


class Kind(StrEnum):
    FACT = "fact"
    PROMISE = "promise"


class Item(BaseModel):
    model_config = ConfigDict(extra="forbid")
    kind: Kind
    text: str
    certainty: Literal["sure", "unsure"]
    when: str | None = None


class Found(BaseModel):
    model_config = ConfigDict(extra="forbid")
    items: list[Item]


def test_a_closed_pydantic_model_is_taken_as_it_is_and_as_the_sdk_rewrites_it(sdk):
    as_it_is, rewritten = Found.model_json_schema(), anthropic.transform_schema(Found)
    for schema in (as_it_is, rewritten):
        assert isinstance(Found.model_validate_json(ask(sdk, schema).content[0].text), Found)


def test_a_pydantic_model_left_open_is_refused(sdk):
    class Open(BaseModel):
        text: str

    with pytest.raises(anthropic.BadRequestError, match="additionalProperties"):
        ask(sdk, Open.model_json_schema())
