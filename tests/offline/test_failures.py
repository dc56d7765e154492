"""Every failure on demand, as the SDK sees it; whatever follows it is answered as if nothing had been."""

import asyncio
import json
import time

import anthropic
import httpx2
import pytest

SONNET, OLD_HAIKU = "claude-sonnet-5-5", "claude-haiku-4-5"
HELLO = {"model": SONNET, "max_tokens": 200, "messages": [{"role": "user", "content": "Hello"}]}
WITH_SYSTEM = {**HELLO, "messages": [*HELLO["messages"], {"role": "system", "content": "It rains."}]}
TEXT = "one two three four five six seven eight"


@pytest.fixture(autouse=True)
def known_reply(standin):
    standin.reply(TEXT, times=1000)


def streamed(sdk, **more):
    """The text that came, the final message, and seconds until the first text."""
    started, pieces, first = time.monotonic(), [], None
    with sdk.messages.stream(**{**HELLO, **more}) as stream:
        for text in stream.text_stream:
            first = first or time.monotonic() - started
            pieces.append(text)
        return "".join(pieces), stream.get_final_message(), first


def assert_well(sdk):
    assert sdk.messages.create(**HELLO).content[0].text == TEXT


STATUS = {
    "rate_limit": (429, anthropic.RateLimitError, "rate_limit_error"),
    "overloaded": (529, anthropic.InternalServerError, "overloaded_error"),
    "server_error": (500, anthropic.InternalServerError, "api_error"),
    "gateway_timeout": (504, anthropic.InternalServerError, "timeout_error"),
    "bad_request": (400, anthropic.BadRequestError, "invalid_request_error"),
    "authentication": (401, anthropic.AuthenticationError, "authentication_error"),
    "billing": (402, anthropic.APIStatusError, "billing_error"),
    "permission": (403, anthropic.PermissionDeniedError, "permission_error"),
    "not_found": (404, anthropic.NotFoundError, "not_found_error"),
    "conflict": (409, anthropic.ConflictError, "conflict_error"),
    "too_large": (413, anthropic.RequestTooLargeError, "request_too_large"),
}


@pytest.mark.parametrize("stream", [False, True], ids=["whole", "stream"])
@pytest.mark.parametrize(("name", "seen"), STATUS.items(), ids=STATUS.keys())
def test_a_status_failure_raises_the_error_of_its_status(standin, sdk, name, seen, stream):
    status, error, error_type = seen
    standin.fail(name)
    with pytest.raises(error) as raised:
        sdk.messages.create(**HELLO, stream=stream)
    assert (raised.value.status_code, raised.value.type) == (status, error_type)
    assert raised.value.request_id.startswith("req_")
    assert_well(sdk)


def test_a_rate_limit_may_ask_for_any_wait(standin, sdk):
    standin.fail("rate_limit", retry_after=86_400)
    with pytest.raises(anthropic.RateLimitError) as raised:
        sdk.messages.create(**HELLO)
    assert raised.value.response.headers["retry-after"] == "86400"


def test_the_sdk_retries_what_it_retries_and_then_succeeds(standin, sdk):
    standin.fail("overloaded", times=2, retry_after=0.01)
    message = sdk.with_options(max_retries=2).messages.create(**HELLO)
    assert message.content[0].text == TEXT
    assert [request["status"] for request in standin.requests()] == [529, 529, 200]


def test_a_stream_is_answered_by_a_status_failure_before_it_begins(standin, sdk):
    standin.fail("rate_limit", match={"stream": True})
    assert_well(sdk)
    with pytest.raises(anthropic.RateLimitError):
        streamed(sdk)


def test_a_failure_asked_for_by_header_happens_to_that_request_only(standin, sdk):
    with pytest.raises(anthropic.RateLimitError) as raised:
        sdk.messages.create(**HELLO, extra_headers={"x-standin-fail": "rate_limit;retry_after=7"})
    assert raised.value.response.headers["retry-after"] == "7"
    assert_well(sdk)


def test_a_misspelt_header_is_refused_instead_of_failing_nothing(sdk):
    with pytest.raises(anthropic.BadRequestError, match="no failure named"):
        sdk.messages.create(**HELLO, extra_headers={"x-standin-fail": "rate_limits"})
    with pytest.raises(anthropic.BadRequestError, match="takes message, retry_after"):
        sdk.messages.create(**HELLO, extra_headers={"x-standin-fail": "rate_limit;wait=7"})


def test_no_system_role_happens_only_to_a_request_with_a_system_message_in_it(standin, sdk):
    standin.fail("no_system_role", times=5)
    assert_well(sdk)
    with pytest.raises(anthropic.BadRequestError) as raised:
        sdk.messages.create(**WITH_SYSTEM)
    assert raised.value.api_message == "role 'system' is not supported on this model"


@pytest.mark.parametrize("stream", [False, True], ids=["whole", "stream"])
def test_a_reset_connection_is_a_connection_error_without_any_response(standin, sdk, stream):
    standin.fail("connection_reset")
    with pytest.raises(anthropic.APIConnectionError):
        sdk.messages.create(**HELLO, stream=stream)
    assert standin.requests()[-1]["status"] is None
    assert standin.requests()[-1]["outcome"] == "left"
    assert_well(sdk)


@pytest.mark.parametrize("stream", [False, True], ids=["whole", "stream"])
def test_a_malformed_body_is_no_json(standin, sdk, stream):
    standin.fail("malformed_body")
    with pytest.raises(json.JSONDecodeError):
        _ = streamed(sdk) if stream else sdk.messages.create(**HELLO)
    assert_well(sdk)


def test_a_stream_whose_connection_closes_raises_and_leaves_what_came(standin, sdk):
    standin.fail("cut_stream", after_deltas=3)
    pieces = []
    with pytest.raises(httpx2.RemoteProtocolError), sdk.messages.stream(**HELLO) as stream:
        pieces.extend(stream.text_stream)
    assert "".join(pieces) == "one two three "
    assert_well(sdk)


def test_a_stream_that_just_ends_raises_nothing_and_leaves_stop_reason_none(standin, sdk):
    standin.fail("cut_stream", how="end", after_chars=8)
    text, final, _ = streamed(sdk)
    assert text == "one two "
    assert final.stop_reason is None
    assert standin.requests()[-1]["stop_reason"] is None


def test_a_whole_reply_that_is_cut_is_a_connection_error(standin, sdk):
    standin.fail("cut_stream")
    with pytest.raises(anthropic.APIConnectionError):
        sdk.messages.create(**HELLO)
    assert_well(sdk)


def test_an_error_inside_a_stream_raises_a_plain_status_error_and_is_not_retried(standin, sdk):
    standin.fail("stream_error", after_deltas=2)
    pieces = []
    with (
        pytest.raises(anthropic.APIStatusError) as raised,
        sdk.with_options(max_retries=2).messages.stream(**HELLO) as stream,
    ):
        pieces.extend(stream.text_stream)
    assert type(raised.value) is anthropic.APIStatusError
    assert raised.value.type == "overloaded_error"
    assert raised.value.status_code == 200
    assert "".join(pieces) == "one two "
    assert len(standin.requests()) == 1


def test_an_error_inside_a_stream_waits_for_a_request_that_streams(standin, sdk):
    standin.fail("stream_error", error="api_error", message="lost")
    assert_well(sdk)
    with pytest.raises(anthropic.APIStatusError, match="lost") as raised:
        streamed(sdk)
    assert raised.value.type == "api_error"


def test_a_slow_first_byte_keeps_everything_back(standin, sdk):
    standin.fail("slow_first_byte", seconds=0.3)
    text, _, first = streamed(sdk)
    assert text == TEXT
    assert first >= 0.3


def test_slow_tokens_keep_back_every_piece(standin, sdk):
    standin.fail("slow_tokens", seconds=0.05)
    started = time.monotonic()
    text, _, first = streamed(sdk)
    assert text == TEXT
    assert first < 0.25
    assert time.monotonic() - started >= 8 * 0.05


async def test_a_hundred_slow_streams_are_held_at_once(standin, async_sdk):
    standin.pace(token_s=0.05)

    async def text() -> str:
        async with async_sdk.messages.stream(**HELLO) as stream:
            return "".join([text async for text in stream.text_stream])

    started = time.monotonic()
    assert await asyncio.gather(*(text() for _ in range(100))) == [TEXT] * 100
    assert time.monotonic() - started < 100 * 8 * 0.05 / 4


def test_silence_sends_the_headers_and_then_nothing(standin):
    standin.fail("silence", seconds=5)
    headers = {"authorization": "Bearer k", "anthropic-version": "2026-10-21"}
    request = {"json": {**HELLO, "stream": True}, "headers": headers, "timeout": 0.3}
    with httpx2.stream("POST", f"{standin.url}/v1/messages", **request) as response:
        assert response.status_code == 200
        with pytest.raises(httpx2.ReadTimeout):
            next(response.iter_bytes())


def test_silence_in_the_middle_times_out_after_what_was_said(standin, sdk):
    standin.fail("silence", seconds=5, after_deltas=2)
    pieces = []
    with (
        pytest.raises((anthropic.APITimeoutError, httpx2.ReadTimeout)),
        sdk.with_options(timeout=0.4).messages.stream(**HELLO) as stream,
    ):
        pieces.extend(stream.text_stream)
    assert "".join(pieces) == "one two "


def test_silence_ends_and_the_reply_goes_on(standin, sdk):
    standin.fail("silence", seconds=0.2, times=2)
    text, final, first = streamed(sdk)
    assert (text, final.stop_reason) == (TEXT, "end_turn")
    assert first >= 0.2
    assert_well(sdk)


def test_a_silent_whole_reply_times_out(standin, sdk):
    standin.fail("silence", seconds=5)
    with pytest.raises(anthropic.APITimeoutError):
        sdk.with_options(timeout=0.3).messages.create(**HELLO)


def test_a_client_that_leaves_is_told_in_the_log(standin, sdk):
    standin.fail("slow_tokens", seconds=0.05)
    with sdk.messages.stream(**HELLO) as stream:
        next(iter(stream.text_stream))
    deadline = time.monotonic() + 2
    while standin.requests()[-1]["outcome"] != "left" and time.monotonic() < deadline:
        time.sleep(0.02)
    time.sleep(0.5)
    assert standin.requests()[-1]["outcome"] == "left"


def test_a_client_that_does_not_wait_for_the_first_byte_is_told_in_the_log(standin, sdk):
    standin.fail("slow_first_byte", seconds=20)
    with pytest.raises(anthropic.APITimeoutError):
        sdk.with_options(timeout=0.2).messages.create(**HELLO, stream=True)
    deadline = time.monotonic() + 2
    while standin.requests()[-1]["outcome"] != "left" and time.monotonic() < deadline:
        time.sleep(0.02)
    (logged,) = standin.requests()
    assert (logged["outcome"], logged["usage"]) == ("left", None)


def test_a_refusal_is_a_message_with_a_reason_and_nothing_in_it(standin, sdk):
    standin.fail("refusal", category="cyber")
    message = sdk.messages.create(**HELLO)
    assert (message.stop_reason, message.content) == ("refusal", [])
    assert (message.stop_details.type, message.stop_details.category) == ("refusal", "cyber")


def test_a_refusal_in_a_stream_comes_after_something_was_said(standin, sdk):
    standin.fail("refusal", after_deltas=2)
    text, final, _ = streamed(sdk)
    assert (text, final.stop_reason, final.stop_details.category) == ("one two ", "refusal", "general_harms")


@pytest.mark.parametrize("stream", [False, True], ids=["whole", "stream"])
@pytest.mark.parametrize(
    ("name", "stop_reason"),
    [
        ("max_tokens", "max_tokens"),
        ("context_window", "model_context_window_exceeded"),
        ("pause_turn", "pause_turn"),
    ],
)
def test_a_reply_that_stops_early_says_why(standin, sdk, name, stop_reason, stream):
    standin.fail(name, after_chars=7)
    message = streamed(sdk)[1] if stream else sdk.messages.create(**HELLO)
    assert (message.content[0].text, message.stop_reason) == ("one two", stop_reason)
    assert_well(sdk)


@pytest.mark.parametrize("stream", [False, True], ids=["whole", "stream"])
def test_a_tool_use_nobody_expected(standin, sdk, stream):
    standin.fail("tool_use", name="open_window")
    message = streamed(sdk)[1] if stream else sdk.messages.create(**HELLO)
    assert message.stop_reason == "tool_use"
    assert (message.content[-1].type, message.content[-1].name) == ("tool_use", "open_window")
    assert isinstance(message.content[-1].input, dict)


def test_malformed_output_breaks_the_json_of_a_structured_answer_and_nothing_else(standin, sdk):
    standin.fail("malformed_output")
    schema = {"type": "object", "properties": {"a": {"type": "string"}}, "additionalProperties": False}
    output_config = {"format": {"type": "json_schema", "schema": schema}}
    message = sdk.messages.create(**HELLO, output_config=output_config)
    assert message.stop_reason == "end_turn"
    with pytest.raises(json.JSONDecodeError):
        json.loads(message.content[0].text)


@pytest.mark.parametrize("stream", [False, True], ids=["whole", "stream"])
def test_thinking_may_come_first_unasked(standin, sdk, stream):
    standin.fail("thinking_first", text="Let me see.")
    message = streamed(sdk)[1] if stream else sdk.messages.create(**HELLO)
    assert [block.type for block in message.content] == ["thinking", "text"]
    assert message.content[0].thinking == "Let me see."
    assert message.usage.output_tokens > message.usage.output_tokens_details.thinking_tokens > 0


@pytest.mark.parametrize("stream", [False, True], ids=["whole", "stream"])
def test_an_empty_reply_has_no_content_and_still_ends(standin, sdk, stream):
    standin.fail("empty")
    message = streamed(sdk)[1] if stream else sdk.messages.create(**HELLO)
    assert (message.content, message.stop_reason, message.usage.output_tokens) == ([], "end_turn", 1)


def test_failures_are_handed_out_in_order_to_the_requests_they_are_meant_for(standin, sdk):
    standin.fail("overloaded", match={"contains": "the blue house"})
    standin.fail("rate_limit", match={"model": OLD_HAIKU})
    standin.fail("server_error", match={"headers": {"x-purpose": "digest"}})
    assert_well(sdk)
    with pytest.raises(anthropic.RateLimitError):
        sdk.messages.create(**{**HELLO, "model": OLD_HAIKU})
    with pytest.raises(anthropic.InternalServerError) as raised:
        sdk.messages.create(**HELLO, extra_headers={"x-purpose": "digest"})
    assert raised.value.status_code == 500
    told = [{"role": "user", "content": [{"type": "text", "text": 'I saw "the blue house"\nagain'}]}]
    with pytest.raises(anthropic.InternalServerError) as raised:
        sdk.messages.create(**{**HELLO, "messages": told})
    assert raised.value.status_code == 529
    assert_well(sdk)


async def test_the_async_client_sees_the_same_failures(standin, async_sdk):
    standin.fail("stream_error", after_deltas=1)
    with pytest.raises(anthropic.APIStatusError):
        async with async_sdk.messages.stream(**HELLO) as stream:
            [text async for text in stream.text_stream]
    standin.fail("connection_reset")
    with pytest.raises(anthropic.APIConnectionError):
        await async_sdk.messages.create(**HELLO)
    standin.fail("cut_stream", how="end")
    async with async_sdk.messages.stream(**HELLO) as stream:
        final = await stream.get_final_message()
    assert final.stop_reason is None
