"""Telling the stand-in what to do, and asking what it was sent."""

import json

import anthropic
import httpx2
import pytest
from starlette.applications import Starlette
from starlette.types import Message

from ella.offline.app import create_app
from ella.offline.requestlog import MAX_BYTES, MAX_REQUESTS, LoggedRequest, RequestLog

HELLO = {"model": "claude-sonnet-5-5", "max_tokens": 200, "messages": [{"role": "user", "content": "Hello"}]}


def test_the_log_shows_what_reached_the_model_and_what_it_cost(standin, sdk):
    told = [{"role": "user", "content": 'My cat is called "Möhre" 🥕'}]
    message = sdk.messages.create(**{**HELLO, "messages": told})
    sdk.messages.create(**HELLO)
    (logged,) = standin.requests(contains='"Möhre" 🥕')
    assert logged["body"]["messages"] == told
    assert (logged["method"], logged["path"], logged["status"]) == ("POST", "/v1/messages", 200)
    assert logged["usage"]["output_tokens"] == message.usage.output_tokens
    assert (logged["stop_reason"], logged["outcome"], logged["failure"]) == ("end_turn", "sent", None)
    assert logged["id"] == message._request_id
    assert standin.requests(contains="Karotte") == []


def test_the_log_never_holds_a_key(standin, sdk):
    sdk.messages.create(**HELLO, extra_headers={"x-api-key": "sk-secret-2", "cookie": "sk-secret-3"})
    dump = json.dumps(standin.requests())
    assert "secret" not in dump
    assert standin.api_key not in dump
    assert standin.requests()[0]["headers"]["anthropic-version"] == "2026-10-21"


def test_the_log_gives_the_latest_in_order_and_can_be_emptied(standin, sdk):
    for name in ("one", "two", "three"):
        sdk.messages.create(**{**HELLO, "messages": [{"role": "user", "content": name}]})
    sdk.messages.count_tokens(model=HELLO["model"], messages=HELLO["messages"])
    latest = standin.requests(path="/v1/messages", limit=2)
    assert [entry["body"]["messages"][0]["content"] for entry in latest] == ["two", "three"]
    standin.forget_requests()
    assert standin.requests() == []


def logged(raw):
    return LoggedRequest(id="req_1", at="", method="POST", path="/v1/messages", headers={}, raw=raw)


def test_the_log_is_bounded_by_number_and_by_bytes():
    log = RequestLog()
    for number in range(MAX_REQUESTS + 5):
        log.add(logged(json.dumps([f"request {number}"]).encode()), {})
    assert len(log.find(contains=None, path=None, limit=MAX_REQUESTS * 2)) == MAX_REQUESTS
    assert log.find(contains="request 4", path=None, limit=1)[0].raw != b'["request 4"]'
    for _ in range(5):
        log.add(logged(b"x" * (MAX_BYTES // 2)), {})
    assert len(log.find(contains=None, path=None, limit=MAX_REQUESTS)) == 2


def test_chosen_replies_are_given_in_order_to_the_requests_they_are_meant_for(standin, sdk):
    standin.reply("for the rain", match={"contains": "rain"})
    standin.reply("first")
    standin.reply(json=["é", 1], times=2)
    standin.reply(content=[{"type": "text", "text": "half"}], stop_reason="max_tokens")
    said = [sdk.messages.create(**HELLO) for _ in range(4)]
    assert [message.content[0].text for message in said] == ["first", '["é", 1]', '["é", 1]', "half"]
    assert said[3].stop_reason == "max_tokens"
    rain = {**HELLO, "messages": [{"role": "user", "content": "It will rain"}]}
    assert sdk.messages.create(**rain).content[0].text == "for the rain"
    assert sdk.messages.create(**rain).content[0].text != "for the rain"


def test_a_chosen_tool_use_stops_for_the_tool(standin, sdk):
    standin.reply(content=[{"type": "tool_use", "id": "toolu_1", "name": "look", "input": {"at": "sea"}}])
    with sdk.messages.stream(**HELLO) as stream:
        message = stream.get_final_message()
    assert message.stop_reason == "tool_use"
    assert message.content[0].input == {"at": "sea"}


@pytest.mark.parametrize(
    ("path", "body", "words"),
    [
        ("failures", {"fail": "bad_luck"}, "no failure named 'bad_luck'"),
        ("failures", {"fail": "rate_limit", "after_deltas": 3}, "'rate_limit' takes message, retry_after"),
        ("failures", {"fail": "empty", "times": 0}, "times: Input should be greater than or equal to 1"),
        ("failures", {"fail": "silence", "seconds": "long"}, "seconds: Input should be a number"),
        ("failures", {"fail": "refusal", "category": "mood"}, "category: Input should be one of"),
        ("failures", {"fail": "empty", "match": {"colour": "red"}}, "match.colour: Extra inputs"),
        ("replies", {}, "exactly one of: text, json, content"),
        ("replies", {"text": "a", "json": 1}, "exactly one of: text, json, content"),
        ("replies", {"text": "a", "stop_reason": "bored"}, "stop_reason: Input should be one of"),
        ("pace", {"token_s": -1}, "token_s: Input should be a number of seconds"),
        ("pace", {"speed": 1}, "speed: Extra inputs"),
        ("clock", {"advance_s": -5}, "advance_s: Input should be a number of seconds"),
    ],
)
def test_a_wrong_order_is_refused_and_changes_nothing(standin, sdk, path, body, words):
    response = httpx2.post(f"{standin.url}/control/{path}", json=body)
    assert response.status_code == 400
    assert words in response.json()["error"]["message"]
    assert sdk.messages.create(**HELLO).stop_reason == "end_turn"


def test_waiting_failures_can_be_seen_and_cleared(standin, sdk):
    standin.fail("rate_limit", times=3, retry_after=5)
    waiting = httpx2.get(f"{standin.url}/control/failures").json()["waiting"]
    assert waiting == [{"fail": "rate_limit", "times": 3, "retry_after": 5.0}]
    standin.stop_failing()
    assert sdk.messages.create(**HELLO).stop_reason == "end_turn"


def test_a_reset_forgets_everything(standin, sdk):
    standin.fail("overloaded", times=9)
    standin.reply("left over", times=9)
    standin.pace(first_byte_s=5, batch_s=9)
    standin.advance(10**6)
    with pytest.raises(anthropic.InternalServerError):
        sdk.messages.create(**HELLO)
    sdk.messages.batches.create(requests=[{"custom_id": "a", "params": HELLO}])
    standin.reset()
    assert standin.requests() == []
    assert sdk.messages.batches.list().data == []
    assert sdk.messages.create(**HELLO).content[0].text != "left over"


async def call(app: Starlette, method: str, path: str, client: tuple[str, int] | None) -> tuple[int, bytes]:
    """One request to the app as a server would make it, from the given address."""
    scope = {
        "type": "http",
        "asgi": {"version": "3.0"},
        "http_version": "1.1",
        "method": method,
        "path": path,
        "query_string": b"",
        "headers": [],
        "client": client,
        "server": ("127.0.0.1", 80),
        "scheme": "http",
    }
    sent: list[Message] = []

    async def receive() -> Message:
        return {"type": "http.request", "body": b"", "more_body": False}

    async def send(message: Message) -> None:
        sent.append(message)

    await app(scope, receive, send)
    return sent[0]["status"], b"".join(message.get("body", b"") for message in sent[1:])


@pytest.mark.parametrize(
    ("client", "status"),
    [
        (("127.0.0.1", 5), 200),
        (("::1", 5), 200),
        (("::ffff:127.0.0.1", 5), 200),
        (("10.0.0.7", 5), 403),
        (("2001:db8::1", 5), 403),
        (("a-name", 5), 403),
        (None, 403),
    ],
)
async def test_only_this_machine_may_control_it(client, status):
    answered, body = await call(create_app(), "GET", "/control/requests", client)
    assert answered == status
    assert (b"data" in body) == (status == 200)
