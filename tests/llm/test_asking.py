"""The whole answer, as jobs ask for it: the failures and the patience of a live reply, in a thread that waits."""

import socket
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from typing import Any

import pytest
from pydantic import BaseModel
from pytest_django.fixtures import Settings

from ella.llm.errors import ModelError
from ella.llm.gateway import ask, build_request
from ella.llm.models import Purpose
from ella.llm.reply import storable
from tests.standin import StandIn

WORDS = "The kettle is on."


class Note(BaseModel):
    words: str
    weight: int


class Notes(BaseModel):
    notes: list[Note]


def test_the_whole_answer_comes_back_with_its_usage(standin: StandIn, payload: dict[str, Any]) -> None:
    standin.reply(WORDS)
    outcome = ask(payload)
    assert outcome.text == WORDS
    assert outcome.stop_reason == "end_turn"
    assert outcome.usage.output_tokens > 0
    assert outcome.first_token_ms is not None


def test_a_structured_answer_is_asked_for_with_its_schema(standin: StandIn) -> None:
    payload = build_request(
        Purpose.MEMORY_EXTRACT, [], [{"role": "user", "content": "Tom has a boat."}], output_schema=Notes
    )
    standin.reply(json={"notes": [{"words": "a boat", "weight": 2}]})
    assert ask(payload).text == '{"notes": [{"words": "a boat", "weight": 2}]}'
    (request,) = standin.requests(path="/v1/messages")
    assert request["body"]["output_config"]["format"]["type"] == "json_schema"


@pytest.mark.parametrize(
    ("failure", "params", "code", "tries"),
    [
        ("rate_limit", {}, "model_rate_limited", 3),
        ("rate_limit", {"retry_after": 3600}, "model_rate_limited", 1),
        ("overloaded", {}, "model_overloaded", 3),
        ("server_error", {}, "model_unavailable", 3),
        ("connection_reset", {}, "model_unreachable", 3),
        ("malformed_body", {}, "model_stream_error", 1),
        ("stream_error", {"after_deltas": 0}, "model_stream_error", 3),
        ("stream_error", {"after_chars": 8}, "model_stream_error", 1),
        ("cut_stream", {"how": "end", "after_chars": 8}, "model_cut_off", 1),
        ("cut_stream", {"how": "close", "after_chars": 8}, "model_cut_off", 1),
        ("slow_first_byte", {"seconds": 1.5}, "model_timeout", 1),
        ("silence", {"seconds": 1.5, "after_chars": 8}, "model_timeout", 1),
        ("refusal", {}, "model_refused", 1),
        ("context_window", {}, "model_context_exceeded", 1),
        ("too_large", {}, "model_context_exceeded", 1),
        ("pause_turn", {}, "model_unexpected_stop", 1),
        ("tool_use", {}, "model_unexpected_stop", 1),
        ("empty", {}, "model_empty", 1),
        ("authentication", {}, "model_not_authorised", 1),
        ("billing", {}, "model_billing", 1),
        ("not_found", {}, "model_not_found", 1),
        ("bad_request", {}, "model_bad_request", 1),
    ],
)
def test_every_failure_has_its_code_and_its_number_of_tries(
    standin: StandIn,
    payload: dict[str, Any],
    settings: Settings,
    failure: str,
    params: dict[str, Any],
    code: str,
    tries: int,
) -> None:
    settings.MODEL_FIRST_BYTE_TIMEOUT_S = 0.3
    standin.fail(failure, times=5, **params)
    with pytest.raises(ModelError) as caught:
        ask(payload)
    assert caught.value.code == code
    assert len(standin.requests(path="/v1/messages")) == tries
    assert caught.value.outcome is not None
    assert caught.value.outcome.tries == tries


def test_an_answer_that_ran_out_of_tokens_before_its_first_word_is_an_error(
    standin: StandIn, payload: dict[str, Any]
) -> None:
    standin.reply(content=[{"type": "thinking", "thinking": "Hm.", "signature": "s"}], stop_reason="max_tokens")
    with pytest.raises(ModelError) as caught:
        ask(payload)
    assert caught.value.code == "model_truncated"


def test_a_prompt_that_is_too_long_is_told_apart_from_a_bad_request(standin: StandIn, payload: dict[str, Any]) -> None:
    standin.fail("bad_request", message="prompt is too long: 1000001 tokens > 1000000 maximum")
    with pytest.raises(ModelError) as caught:
        ask(payload)
    assert caught.value.code == "model_context_exceeded"


def test_a_server_that_only_pings_is_left_when_the_time_is_over(settings: Settings, payload: dict[str, Any]) -> None:
    with pinging_server() as url:
        settings.MODEL_BASE_URL = url
        began = time.monotonic()
        with pytest.raises(ModelError) as caught:
            ask(payload, time_limit_s=0.5)
    assert caught.value.code == "model_timeout"
    assert time.monotonic() - began < 2


def test_a_redirect_is_not_followed_with_the_prompt_in_hand(
    standin: StandIn, settings: Settings, payload: dict[str, Any]
) -> None:
    head = f"HTTP/1.1 307 Temporary Redirect\r\nlocation: {standin.url}/v1/messages\r\ncontent-length: 0\r\n\r\n"
    with answering_server(head.encode()) as url:
        settings.MODEL_BASE_URL = url
        with pytest.raises(ModelError) as caught:
            ask(payload)
    assert (caught.value.code, caught.value.permanent) == ("model_bad_request", True)
    assert standin.requests(path="/v1/messages") == []


def test_a_retry_after_may_be_a_date(settings: Settings, payload: dict[str, Any]) -> None:
    later = format_datetime(datetime.now(UTC) + timedelta(hours=1), usegmt=True)
    head = f"HTTP/1.1 429 Too Many Requests\r\nretry-after: {later}\r\ncontent-length: 0\r\n\r\n"
    with answering_server(head.encode()) as url:
        settings.MODEL_BASE_URL = url
        with pytest.raises(ModelError) as caught:
            ask(payload)
    assert caught.value.code == "model_rate_limited"
    assert caught.value.retry_after_s == pytest.approx(3600, abs=5)


@pytest.mark.parametrize("nonsense", ["soon", "", "-3"])
def test_a_retry_after_without_sense_is_passed_over(settings: Settings, payload: dict[str, Any], nonsense: str) -> None:
    head = f"HTTP/1.1 503 Service Unavailable\r\nretry-after: {nonsense}\r\ncontent-length: 0\r\n\r\n"
    with answering_server(head.encode()) as url:
        settings.MODEL_BASE_URL = url
        with pytest.raises(ModelError) as caught:
            ask(payload)
    assert caught.value.code == "model_unavailable"
    assert caught.value.outcome is not None
    assert caught.value.outcome.tries == 3


def test_what_no_database_stores_is_taken_out_of_the_answer(standin: StandIn, payload: dict[str, Any]) -> None:
    standin.reply("a\x00b 😀 ok")
    outcome = ask(payload)
    assert outcome.text == outcome.blocks[0]["text"] == "ab 😀 ok"


@pytest.mark.parametrize(
    ("words", "stored"),
    [
        ("plain", "plain"),
        ("a\x00b", "ab"),
        ("\ud83d", "\ufffd"),
        ("\ud83d\ude00", "😀"),
        ("\udc00x\ud800", "\ufffdx\ufffd"),
    ],
)
def test_half_a_surrogate_pair_is_replaced_and_a_whole_one_is_joined(words: str, stored: str) -> None:
    assert storable(words) == stored


def test_threads_share_one_client(standin: StandIn, payload: dict[str, Any]) -> None:
    with ThreadPoolExecutor(16) as threads:
        outcomes = list(threads.map(lambda _: ask(payload), range(48)))
    assert all(outcome.text for outcome in outcomes)
    assert len(standin.requests(path="/v1/messages")) == 48


@contextmanager
def answering_server(head: bytes, then: bytes = b"") -> Iterator[str]:
    """Answers every connection with `head`, and then with `then` ten times a second until the client leaves."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.settimeout(5)

        def serve() -> None:
            try:
                while True:
                    with server.accept()[0] as connection:
                        connection.recv(65536)
                        connection.sendall(head)
                        while then:
                            time.sleep(0.1)
                            connection.sendall(then)
            except OSError:
                return

        threading.Thread(target=serve, daemon=True).start()
        yield f"http://127.0.0.1:{server.getsockname()[1]}"


def pinging_server() -> Any:
    head = b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\n"
    return answering_server(head, b'event: ping\ndata: {"type": "ping"}\n\n')
