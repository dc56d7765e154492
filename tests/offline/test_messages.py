"""Creating, streaming and counting, as the real SDK sees them."""

import json
import subprocess
import sys

import anthropic
import httpx2
import pytest
from pydantic import BaseModel

from tests.standin import PROJECT, StandIn

HELLO = [{"role": "user", "content": "Good morning. Did you sleep?"}]
SONNET = "claude-sonnet-5-5"
FEELINGS = {
    "type": "object",
    "properties": {
        "mood": {"type": "string", "enum": ["calm", "glad"]},
        "facts": {"type": "array", "items": {"type": "string"}},
        "note": {"type": "string"},
    },
    "required": ["mood", "facts"],
    "additionalProperties": False,
}


def text_of(message):
    return "".join(block.text for block in message.content if block.type == "text")


def test_a_message_is_answered_with_text_and_usage(sdk):
    message = sdk.messages.create(model=SONNET, max_tokens=200, system="Be kind.", messages=HELLO)
    assert (message.role, message.type, message.stop_reason, message.model) == (
        "assistant",
        "message",
        "end_turn",
        SONNET,
    )
    assert text_of(message)
    assert message.id.startswith("msg_")
    assert message._request_id.startswith("req_")
    assert message.usage.input_tokens == 2 + 7
    assert message.usage.output_tokens == -(-len(text_of(message).encode()) // 4)
    assert message.usage.service_tier == "standard"


def test_the_same_request_is_answered_with_the_same_words(sdk):
    first, second = (sdk.messages.create(model=SONNET, max_tokens=200, messages=HELLO) for _ in range(2))
    assert text_of(first) == text_of(second)
    assert first.id != second.id


async def test_the_async_client_is_answered_as_well(async_sdk):
    message = await async_sdk.messages.create(model=SONNET, max_tokens=200, messages=HELLO)
    assert text_of(message)
    async with async_sdk.messages.stream(model=SONNET, max_tokens=200, messages=HELLO) as stream:
        pieces = [text async for text in stream.text_stream]
        final = await stream.get_final_message()
    assert "".join(pieces) == text_of(message) == text_of(final)


def test_a_stream_tells_the_same_message_in_the_order_of_the_provider(sdk, standin):
    standin.reply("The kettle is on.\n\nTea?")
    names = []
    with sdk.messages.create(model=SONNET, max_tokens=200, messages=HELLO, stream=True) as stream:
        for event in stream:
            names.append(event.type)
            if event.type == "message_start":
                assert (event.message.content, event.message.stop_reason) == ([], None)
                assert event.message.usage.input_tokens == 7
            if event.type == "message_delta":
                assert event.delta.stop_reason == "end_turn"
                assert event.usage.output_tokens == 6
    assert names == [
        "message_start",
        "content_block_start",
        *["content_block_delta"] * 5,
        "content_block_stop",
        "message_delta",
        "message_stop",
    ]


def test_a_stream_pings_after_its_start(standin):
    body = {"model": SONNET, "max_tokens": 20, "messages": HELLO, "stream": True}
    headers = {"authorization": "Bearer k", "anthropic-version": "2026-10-21"}
    response = httpx2.post(f"{standin.url}/v1/messages", json=body, headers=headers)
    assert response.headers["content-type"].startswith("text/event-stream")
    assert response.headers["request-id"].startswith("req_")
    names = [line.removeprefix("event: ") for line in response.text.splitlines() if line.startswith("event: ")]
    assert names[:3] == ["message_start", "ping", "content_block_start"]


def test_the_pieces_of_a_stream_are_words_that_join_to_the_text(sdk, standin):
    text = "  Ünïcode 👩‍👩‍👧 words,\n and\t gaps  "
    standin.reply(text)
    with sdk.messages.stream(model=SONNET, max_tokens=200, messages=HELLO) as stream:
        pieces = list(stream.text_stream)
    assert "".join(pieces) == text
    assert len(pieces) == 6


def test_a_structured_answer_fits_its_schema(sdk):
    message = sdk.messages.create(
        model="claude-haiku-5-5",
        max_tokens=500,
        messages=HELLO,
        output_config={"format": {"type": "json_schema", "schema": FEELINGS}},
    )
    answer = json.loads(text_of(message))
    assert answer["mood"] in ("calm", "glad")
    assert isinstance(answer["facts"], list)
    assert set(answer) <= {"mood", "facts", "note"}


def test_the_sdk_parses_a_structured_answer_into_its_model(sdk, standin):
    class Mood(BaseModel):
        mood: str
        strength: int

    standin.reply(json={"mood": "glad", "strength": 3})
    parsed = sdk.messages.parse(model="claude-haiku-5-5", max_tokens=500, messages=HELLO, output_format=Mood)
    assert parsed.parsed_output == Mood(mood="glad", strength=3)


def test_max_tokens_cuts_the_reply_and_says_so(sdk, standin):
    standin.reply("one two three four five six")
    message = sdk.messages.create(model=SONNET, max_tokens=3, messages=HELLO)
    assert (text_of(message), message.stop_reason, message.usage.output_tokens) == ("one two thre", "max_tokens", 3)


def test_max_tokens_zero_only_warms_the_cache(sdk):
    system = [{"type": "text", "text": "w" * 4 * 600, "cache_control": {"type": "ephemeral"}}]
    message = sdk.messages.create(model=SONNET, max_tokens=0, system=system, messages=HELLO)
    assert message.content == []
    assert message.usage.cache_creation_input_tokens == 600


def test_a_stop_sequence_ends_the_reply_before_it(sdk, standin):
    standin.reply("Hello you. END and more")
    message = sdk.messages.create(model=SONNET, max_tokens=50, messages=HELLO, stop_sequences=["more", "END"])
    assert text_of(message) == "Hello you. "
    assert (message.stop_reason, message.stop_sequence) == ("stop_sequence", "END")


def test_a_reply_stops_where_the_context_window_ends(sdk, standin):
    standin.reply("word " * 100)
    almost_full = [{"role": "user", "content": "w" * 4 * 199_990}]
    message = sdk.messages.create(model="claude-haiku-4-5", max_tokens=100, messages=almost_full)
    assert message.stop_reason == "model_context_window_exceeded"
    assert message.usage.output_tokens == 10


def test_thinking_comes_first_when_it_is_asked_for_and_counts_as_output(sdk, standin):
    standin.reply("Yes.", times=2)
    hidden = sdk.messages.create(model=SONNET, max_tokens=200, messages=HELLO, thinking={"type": "adaptive"})
    shown = sdk.messages.create(
        model=SONNET, max_tokens=200, messages=HELLO, thinking={"type": "adaptive", "display": "summarized"}
    )
    assert [block.type for block in hidden.content] == [block.type for block in shown.content] == ["thinking", "text"]
    assert hidden.content[0].thinking == ""
    assert shown.content[0].thinking
    assert hidden.content[0].signature == shown.content[0].signature
    assert hidden.usage.output_tokens_details.thinking_tokens > 1
    assert hidden.usage.output_tokens == 1 + hidden.usage.output_tokens_details.thinking_tokens


def test_thinking_is_streamed_before_the_text(sdk, standin):
    standin.reply("Yes.")
    thinking = {"type": "adaptive", "display": "summarized"}
    with sdk.messages.stream(model=SONNET, max_tokens=200, messages=HELLO, thinking=thinking) as stream:
        final = stream.get_final_message()
    assert [block.type for block in final.content] == ["thinking", "text"]
    assert final.content[0].thinking
    assert final.content[0].signature


def test_a_thinking_block_is_taken_back_unchanged_and_refused_changed(sdk):
    thinking = {"type": "adaptive", "display": "summarized"}
    first = sdk.messages.create(model=SONNET, max_tokens=200, messages=HELLO, thinking=thinking)
    block = first.content[0].model_dump()
    more = {"role": "user", "content": "And now?"}
    turns = [*HELLO, {"role": "assistant", "content": [block, {"type": "text", "text": "Yes."}]}, more]
    assert sdk.messages.create(model=SONNET, max_tokens=20, messages=turns).stop_reason
    turns[1]["content"][0] = {**block, "thinking": "something else"}
    with pytest.raises(anthropic.BadRequestError, match="Invalid `signature`"):
        sdk.messages.create(model=SONNET, max_tokens=20, messages=turns)


def test_a_forced_tool_is_used_with_an_input_that_fits(sdk):
    tool = {"name": "note_mood", "input_schema": FEELINGS}
    message = sdk.messages.create(
        model="claude-haiku-5-5",
        max_tokens=200,
        messages=HELLO,
        tools=[tool],
        tool_choice={"type": "tool", "name": "note_mood"},
    )
    assert message.stop_reason == "tool_use"
    (use,) = message.content
    assert (use.type, use.name) == ("tool_use", "note_mood")
    assert use.input["mood"] in ("calm", "glad")
    result = {"type": "tool_result", "tool_use_id": use.id, "content": "noted"}
    turns = [*HELLO, {"role": "assistant", "content": [use.model_dump()]}, {"role": "user", "content": [result]}]
    assert sdk.messages.create(model="claude-haiku-5-5", max_tokens=99, messages=turns, tools=[tool]).content


def test_a_system_message_in_the_conversation_is_taken(sdk):
    turns = [*HELLO, {"role": "system", "content": "It is raining."}]
    assert sdk.messages.create(model=SONNET, max_tokens=99, messages=turns).stop_reason == "end_turn"
    turns += [{"role": "assistant", "content": "Good morning."}, {"role": "user", "content": "And?"}]
    assert sdk.messages.create(model=SONNET, max_tokens=99, messages=turns).stop_reason == "end_turn"


def test_counting_tokens_agrees_with_the_usage_of_the_same_request(sdk):
    request = {
        "model": SONNET,
        "system": [{"type": "text", "text": "Be kind. " * 40}],
        "messages": [*HELLO, {"role": "assistant", "content": "Да, спасибо"}, {"role": "user", "content": "Хорошо"}],
        "output_config": {"format": {"type": "json_schema", "schema": FEELINGS}},
    }
    counted = sdk.messages.count_tokens(**request)
    message = sdk.messages.create(max_tokens=200, **request)
    assert counted.input_tokens == message.usage.input_tokens > 100


def test_the_models_are_listed_newest_first_and_found_by_name(sdk):
    models = list(sdk.models.list())
    assert {model.id for model in models} == {
        "claude-opus-5-5",
        "claude-sonnet-5-5",
        "claude-haiku-5-5",
        "claude-haiku-4-5",
    }
    assert [model.created_at for model in models] == sorted((model.created_at for model in models), reverse=True)
    opus = sdk.models.retrieve("claude-opus-5-5")
    assert opus.lifecycle == "active"
    assert not opus.capabilities.thinking.types.disabled.supported
    assert sdk.models.retrieve("claude-haiku-4-5-20251001").id == "claude-haiku-4-5"
    with pytest.raises(anthropic.NotFoundError):
        sdk.models.retrieve("gpt-9")


def test_lists_are_paged(sdk):
    first = sdk.models.list(limit=3)
    assert len(first.data) == 3
    assert first.has_more
    assert len(list(first)) == 4
    back = sdk.models.list(limit=2, before_id=first.data[2].id)
    assert [model.id for model in back.data] == [model.id for model in first.data[:2]]


def test_the_first_page_says_that_this_is_no_language_model(standin: StandIn):
    page = httpx2.get(standin.url)
    assert page.status_code == 200
    assert "not a language model" in page.text
    assert httpx2.get(f"{standin.url}/health").json() == {"status": "ok", "language_model": False}


def test_it_runs_without_django():
    program = "import sys, ella.offline.app; print('django' in sys.modules)"
    assert subprocess.check_output([sys.executable, "-c", program], cwd=PROJECT) == b"False\n"


def test_an_unknown_address_is_answered_as_the_provider_answers_it(standin):
    response = httpx2.get(f"{standin.url}/v1/nothing")
    assert response.status_code == 404
    assert response.json()["error"]["type"] == "not_found_error"
    assert response.headers["request-id"]
