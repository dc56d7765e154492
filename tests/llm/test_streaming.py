"""A reply as it is written, over real HTTP from the stand-in, and every way it can go wrong."""

import asyncio
import time
from collections.abc import Callable
from typing import Any

import pytest
from pytest_django.fixtures import Settings

from ella.llm.errors import LayoutNotAccepted, ModelError
from ella.llm.gateway import build_request, stream_reply
from ella.llm.models import Purpose
from ella.llm.outcome import CallOutcome
from tests.standin import StandIn

WORDS = "The kettle is on. I was thinking of the sea all morning."


async def listen(payload: dict[str, Any], hear: Callable[[str], object], **options: Any) -> CallOutcome:
    async with stream_reply(payload, **options) as stream:
        async for piece in stream:
            hear(piece)
    return stream.outcome


async def read(payload: dict[str, Any], **options: Any) -> tuple[list[str], CallOutcome]:
    heard: list[str] = []
    return heard, await listen(payload, heard.append, **options)


async def fail(payload: dict[str, Any], **options: Any) -> tuple[list[str], ModelError]:
    """What was heard before it failed, and how it failed."""
    heard: list[str] = []
    with pytest.raises(ModelError) as failure:
        await listen(payload, heard.append, **options)
    return heard, failure.value


async def test_a_reply_arrives_in_pieces_with_its_usage_and_times(standin: StandIn, payload: dict[str, Any]) -> None:
    standin.reply(WORDS)
    pieces, outcome = await read(payload)
    assert len(pieces) > 1
    assert "".join(pieces) == outcome.text == WORDS
    assert [block["text"] for block in outcome.blocks] == [WORDS]
    assert outcome.stop_reason == "end_turn"
    assert not outcome.truncated
    assert outcome.tries == 1
    assert outcome.usage.prompt_tokens > 0
    assert outcome.usage.output_tokens > 0
    assert not outcome.usage_estimated
    assert outcome.request_id.startswith("req_")
    assert outcome.first_token_ms is not None
    assert 0 <= outcome.first_token_ms <= outcome.duration_ms


async def test_what_reaches_the_provider_is_the_payload_and_nothing_else(
    standin: StandIn, payload: dict[str, Any]
) -> None:
    await read(payload)
    (request,) = standin.requests(path="/v1/messages")
    assert request["body"] == payload
    assert request["headers"]["anthropic-version"] == "2026-10-21"


async def test_thinking_is_kept_and_never_spoken(standin: StandIn, payload: dict[str, Any]) -> None:
    standin.fail("thinking_first", text="She sounds tired.")
    standin.reply(WORDS)
    pieces, outcome = await read(payload)
    assert "".join(pieces) == outcome.text == WORDS
    assert [block["type"] for block in outcome.blocks] == ["thinking", "text"]


async def test_a_reply_cut_by_its_token_limit_says_so_and_is_no_error(
    standin: StandIn, payload: dict[str, Any]
) -> None:
    standin.reply(WORDS)
    standin.fail("max_tokens", after_chars=20)
    pieces, outcome = await read(payload)
    assert outcome.truncated
    assert "".join(pieces) == outcome.text != ""


@pytest.mark.parametrize(
    ("failure", "code", "permanent"),
    [
        ("bad_request", "model_bad_request", True),
        ("authentication", "model_not_authorised", True),
        ("permission", "model_not_authorised", True),
        ("billing", "model_billing", True),
        ("not_found", "model_not_found", True),
        ("too_large", "model_context_exceeded", True),
        ("refusal", "model_refused", True),
        ("context_window", "model_context_exceeded", True),
        ("pause_turn", "model_unexpected_stop", False),
        ("tool_use", "model_unexpected_stop", False),
        ("empty", "model_empty", False),
    ],
)
async def test_what_another_try_would_not_mend_fails_at_the_first(
    standin: StandIn, payload: dict[str, Any], failure: str, code: str, permanent: bool
) -> None:
    standin.fail(failure)
    _, error = await fail(payload)
    assert (error.code, error.permanent) == (code, permanent)
    assert len(standin.requests(path="/v1/messages")) == 1
    assert error.outcome is not None
    assert error.outcome.tries == 1


@pytest.mark.parametrize(
    ("failure", "code"),
    [
        ("rate_limit", "model_rate_limited"),
        ("overloaded", "model_overloaded"),
        ("server_error", "model_unavailable"),
        ("gateway_timeout", "model_unavailable"),
        ("conflict", "model_unavailable"),
        ("connection_reset", "model_unreachable"),
        ("stream_error", "model_stream_error"),
        ("cut_stream", "model_cut_off"),
    ],
)
async def test_what_passes_in_a_moment_is_tried_again_three_times_in_all(
    standin: StandIn, payload: dict[str, Any], failure: str, code: str
) -> None:
    early = {"after_deltas": 0} if failure in ("stream_error", "cut_stream") else {}
    standin.fail(failure, times=2, **early)
    standin.reply(WORDS, times=3)
    pieces, outcome = await read(payload)
    assert "".join(pieces) == WORDS
    assert outcome.tries == 3

    standin.reset()
    standin.fail(failure, times=5, **early)
    pieces, error = await fail(payload)
    assert pieces == []
    assert (error.code, error.permanent) == (code, False)
    assert error.outcome is not None
    assert error.outcome.tries == 3
    assert len(standin.requests(path="/v1/messages")) == 3


@pytest.mark.parametrize(
    ("failure", "params", "code"),
    [
        ("stream_error", {"error": "overloaded_error"}, "model_stream_error"),
        ("cut_stream", {"how": "end"}, "model_cut_off"),
        ("cut_stream", {"how": "close"}, "model_cut_off"),
        ("silence", {"seconds": 1.5}, "model_timeout"),
        ("refusal", {}, "model_refused"),
    ],
)
async def test_once_she_has_begun_to_speak_nothing_is_asked_again(
    standin: StandIn,
    payload: dict[str, Any],
    settings: Settings,
    failure: str,
    params: dict[str, Any],
    code: str,
) -> None:
    settings.MODEL_FIRST_BYTE_TIMEOUT_S = 0.3
    standin.reply(WORDS)
    standin.fail(failure, after_chars=20, **params)
    pieces, error = await fail(payload)
    assert pieces
    assert WORDS.startswith("".join(pieces))
    assert error.code == code
    assert len(standin.requests(path="/v1/messages")) == 1
    assert error.outcome is not None
    assert error.outcome.usage.prompt_tokens > 0
    assert error.outcome.usage.output_tokens > 0


async def test_the_text_of_a_refusal_is_thrown_away_and_its_blocks_are_kept_for_staff(
    standin: StandIn, payload: dict[str, Any]
) -> None:
    standin.reply(WORDS)
    standin.fail("refusal", category="bio", after_chars=20)
    _, error = await fail(payload)
    assert error.code == "model_refused"
    assert error.detail == "bio"
    assert error.outcome is not None
    assert error.outcome.text == ""
    assert error.outcome.blocks[0]["text"]


async def test_the_output_of_a_stream_cut_short_is_estimated_from_what_arrived(
    standin: StandIn, payload: dict[str, Any]
) -> None:
    standin.reply(WORDS * 4)
    standin.fail("cut_stream", how="end", after_chars=120)
    pieces, error = await fail(payload)
    assert error.outcome is not None
    assert error.outcome.usage_estimated
    assert error.outcome.usage.output_tokens >= len("".join(pieces)) // 4


@pytest.mark.parametrize("seconds", [3600, 5])
async def test_a_provider_that_asks_for_more_patience_than_we_have_is_not_waited_for(
    standin: StandIn, payload: dict[str, Any], seconds: int
) -> None:
    standin.fail("rate_limit", times=3, retry_after=seconds)
    began = time.monotonic()
    _, error = await fail(payload)
    assert time.monotonic() - began < 2
    assert (error.code, error.retry_after_s) == ("model_rate_limited", seconds)
    assert len(standin.requests(path="/v1/messages")) == 1


async def test_a_short_retry_after_is_honoured(standin: StandIn, payload: dict[str, Any], settings: Settings) -> None:
    settings.MODEL_RETRY_CAP_S = 2
    standin.fail("rate_limit", retry_after=0.4)
    began = time.monotonic()
    _, outcome = await read(payload)
    assert time.monotonic() - began >= 0.4
    assert outcome.tries == 2


async def test_silence_before_the_first_byte_fails_when_the_first_byte_is_due(
    standin: StandIn, payload: dict[str, Any], settings: Settings
) -> None:
    settings.MODEL_FIRST_BYTE_TIMEOUT_S = 0.3
    standin.fail("slow_first_byte", seconds=1.5)
    began = time.monotonic()
    _, error = await fail(payload)
    assert error.code == "model_timeout"
    assert time.monotonic() - began < 1.4


async def test_a_reply_that_drips_for_ever_ends_with_the_calls_time_limit(
    standin: StandIn, payload: dict[str, Any]
) -> None:
    standin.reply("word " * 400)
    standin.fail("slow_tokens", seconds=0.1)
    began = time.monotonic()
    pieces, error = await fail(payload, time_limit_s=1.0)
    assert error.code == "model_timeout"
    assert 0.9 < time.monotonic() - began < 3
    assert pieces
    assert error.outcome is not None
    assert error.outcome.text == "".join(pieces)


async def test_nobody_at_the_address_is_a_clear_failure(payload: dict[str, Any]) -> None:
    _, error = await fail(payload)
    assert error.code == "model_unreachable"
    assert error.outcome is not None
    assert error.outcome.tries == 3


async def test_a_model_that_takes_no_system_message_in_the_conversation_is_told_apart(standin: StandIn) -> None:
    payload = build_request(
        Purpose.LIVE_REPLY,
        system=[],
        messages=[{"role": "user", "content": "Hello"}, {"role": "system", "content": "It rains."}],
        model="claude-haiku-4-5",
    )
    with pytest.raises(LayoutNotAccepted) as failure:
        await read(payload)
    assert failure.value.code == "model_bad_request"
    assert "role 'system' is not supported" in failure.value.detail
    assert len(standin.requests(path="/v1/messages")) == 1


async def test_cancelling_whoever_reads_closes_the_connection(standin: StandIn, payload: dict[str, Any]) -> None:
    standin.reply("word " * 400)
    standin.fail("slow_tokens", seconds=0.05)
    spoken = asyncio.Event()
    listener = asyncio.create_task(listen(payload, lambda _: spoken.set()))
    await spoken.wait()
    listener.cancel()
    with pytest.raises(asyncio.CancelledError):
        await listener
    assert await outcome_of_the_only_request(standin) == "left"


async def test_leaving_early_closes_the_connection_and_tells_what_had_arrived(
    standin: StandIn, payload: dict[str, Any]
) -> None:
    standin.reply("word " * 400)
    standin.fail("slow_tokens", seconds=0.05)
    async with stream_reply(payload) as stream:
        async for piece in stream:
            first = piece
            break
    assert stream.outcome.text == first
    assert stream.outcome.stop_reason == ""
    assert stream.outcome.usage_estimated
    assert await outcome_of_the_only_request(standin) == "left"


async def outcome_of_the_only_request(standin: StandIn) -> str:
    for _ in range(100):
        (request,) = await asyncio.to_thread(standin.requests, path="/v1/messages")
        if request["outcome"] != "open":
            return str(request["outcome"])
        await asyncio.sleep(0.03)
    raise AssertionError("the request never ended")


async def test_a_hundred_replies_at_once_share_one_client_and_none_gets_anothers_words(
    standin: StandIn, payload: dict[str, Any]
) -> None:
    standin.pace(token_s=0.01)

    async def one(number: int) -> bool:
        told = {**payload, "messages": [{"role": "user", "content": f"I am number {number}."}]}
        pieces, outcome = await read(told)
        return "".join(pieces) == outcome.text != ""

    assert all(await asyncio.gather(*(one(number) for number in range(100))))
    assert len(standin.requests(path="/v1/messages")) == 100
