"""The exact request: what each model is asked for, and schemas that the strict stand-in takes."""

from enum import StrEnum
from typing import Any, Literal

import pytest
from django.core.exceptions import ImproperlyConfigured
from pydantic import BaseModel, Field
from pytest_django.fixtures import Settings

from ella.llm.capabilities import TABLE, Effort, Thinking, capabilities
from ella.llm.gateway import ask, build_request
from ella.llm.models import Purpose
from ella.llm.schema import output_schema_of
from ella.llm.tokens import estimate_tokens
from ella.memory.schemas import ExchangeReading
from tests.standin import StandIn

HELLO = [{"role": "user", "content": "Hello"}]


class Mood(StrEnum):
    CALM = "calm"
    STORMY = "stormy"


class Guest(BaseModel):
    """Somebody who came."""

    name: str = Field(min_length=1, max_length=40, pattern=r"\w+", title="Name")
    age: int | None = Field(default=None, ge=0, le=130)
    mood: Mood = Mood.CALM
    kind: Literal["friend", "stranger"]


class Evening(BaseModel):
    guests: list[Guest] = Field(default_factory=list, max_length=12)
    host: Guest


class Knot(BaseModel):
    inner: list["Knot"]


class Open(BaseModel):
    anything: dict[str, str]


def set_purpose(settings: Settings, **changes: Any) -> None:
    now = settings.MODEL_PURPOSES
    settings.MODEL_PURPOSES = {**now, "live_reply": {**now["live_reply"], **changes}}


@pytest.mark.parametrize(
    ("model", "thinking", "effort"),
    [
        ("claude-opus-5-5", {"type": "adaptive"}, "low"),
        ("claude-sonnet-5-5", {"type": "between_tools"}, "low"),
        ("claude-haiku-5-5", {"type": "disabled"}, "low"),
        ("claude-haiku-4-5", {"type": "disabled"}, None),
        ("claude-haiku-4-5-20251001", {"type": "disabled"}, None),
    ],
)
def test_every_model_is_held_to_the_least_thinking_it_allows(
    standin: StandIn, settings: Settings, model: str, thinking: dict[str, str], effort: str | None
) -> None:
    set_purpose(settings, model=model, effort="low")
    request = build_request(Purpose.LIVE_REPLY, [], HELLO)
    assert request["thinking"] == thinking
    assert request.get("output_config", {}).get("effort") == effort
    assert "system" not in request
    assert ask(request).text


@pytest.mark.parametrize("model", sorted(TABLE))
@pytest.mark.parametrize("effort", [*Effort, ""])
def test_no_effort_makes_a_request_the_provider_refuses(
    standin: StandIn, settings: Settings, model: str, effort: str
) -> None:
    set_purpose(settings, model=model, effort=effort)
    assert ask(build_request(Purpose.LIVE_REPLY, [], HELLO, output_schema=Evening)).text


def test_hard_thought_is_never_asked_for_with_thinking_switched_off(settings: Settings) -> None:
    set_purpose(settings, model="claude-haiku-5-5", effort="max")
    assert "thinking" not in build_request(Purpose.LIVE_REPLY, [], HELLO)


def test_a_model_nobody_knows_is_asked_in_the_plainest_way(settings: Settings) -> None:
    set_purpose(settings, model="claude-of-tomorrow", effort="low", max_tokens=1_000_000)
    request = build_request(Purpose.LIVE_REPLY, [], HELLO)
    assert set(request) == {"model", "max_tokens", "stream", "messages"}
    assert request["max_tokens"] == capabilities("claude-of-tomorrow").max_output_tokens
    assert not capabilities("claude-of-tomorrow").mid_conversation_system


def test_a_purpose_without_usable_settings_is_refused_by_name(settings: Settings) -> None:
    set_purpose(settings, daily_budget_usd="plenty")
    with pytest.raises(ImproperlyConfigured, match=r"live_reply.*plenty"):
        build_request(Purpose.LIVE_REPLY, [], HELLO)


def test_a_schema_is_closed_and_requires_everything_and_bounds_nothing() -> None:
    schema = output_schema_of(Evening)
    assert schema["required"] == ["guests", "host"]
    assert schema["additionalProperties"] is False
    guest = schema["$defs"]["Guest"]
    assert guest["required"] == ["name", "age", "mood", "kind"]
    assert guest["additionalProperties"] is False
    assert guest["description"] == "Somebody who came."
    assert guest["properties"]["name"] == {"type": "string"}
    assert guest["properties"]["age"] == {"anyOf": [{"type": "integer"}, {"type": "null"}]}
    assert guest["properties"]["mood"] == {"$ref": "#/$defs/Mood"}
    assert schema["$defs"]["Mood"] == {"enum": ["calm", "stormy"], "type": "string"}


@pytest.mark.parametrize("model", [Evening, ExchangeReading])
def test_the_provider_takes_our_schemas(standin: StandIn, model: type[BaseModel]) -> None:
    assert ask(build_request(Purpose.MEMORY_EXTRACT, [], HELLO, output_schema=model)).text


def test_a_schema_that_refers_to_itself_is_refused_here_and_not_by_the_provider() -> None:
    with pytest.raises(TypeError, match="refers to itself"):
        output_schema_of(Knot)


def test_a_schema_with_an_open_object_is_refused_here_and_not_by_the_provider() -> None:
    with pytest.raises(TypeError, match=r"Open\.anything"):
        output_schema_of(Open)


@pytest.mark.parametrize(("text", "tokens"), [("", 0), ("a", 1), ("four", 1), ("fives", 2), ("x" * 4001, 1001)])
def test_tokens_are_estimated_at_four_characters_rounded_up(text: str, tokens: int) -> None:
    assert estimate_tokens(text) == tokens


def test_the_least_thinking_comes_first_in_the_table() -> None:
    order = list(Thinking)
    for able in TABLE.values():
        assert list(able.thinking) == sorted(able.thinking, key=order.index)
