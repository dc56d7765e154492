"""Everything the provider would refuse is refused here, with its status, its words, and without an answer."""

import anthropic
import httpx2
import pytest

SONNET, OPUS = "claude-sonnet-5-5", "claude-opus-5-5"
HAIKU, OLD_HAIKU = "claude-haiku-5-5", "claude-haiku-4-5"
USER = {"role": "user", "content": "Hello"}
ELLA = {"role": "assistant", "content": "Hello you"}
SYSTEM = {"role": "system", "content": "It rains."}
HEADERS = {"authorization": "Bearer any", "anthropic-version": "2026-10-21"}
TOOL = {"name": "look", "input_schema": {"type": "object", "properties": {}}}
MARK = {"type": "ephemeral"}
HOUR = {"type": "ephemeral", "ttl": "1h"}


def block(text, **more):
    return {"type": "text", "text": text, **more}


def user(*blocks):
    return {"role": "user", "content": list(blocks)}


REFUSED = {
    # fields
    "no model": ({"model": None}, "model: Input should be a valid string"),
    "unknown field": ({"top_k_of_hills": 3}, "top_k_of_hills: Extra inputs are not permitted"),
    "temperature": ({"temperature": 0.5}, "temperature: Extra inputs are not permitted"),
    "top_p": ({"top_p": 0.5}, "top_p: Extra inputs are not permitted"),
    "top_k": ({"top_k": 5}, "top_k: Extra inputs are not permitted"),
    "max_tokens as text": ({"max_tokens": "20"}, "max_tokens: Input should be a valid integer"),
    "max_tokens as truth": ({"max_tokens": True}, "max_tokens: Input should be a valid integer"),
    "max_tokens below zero": ({"max_tokens": -1}, "greater than or equal to 0"),
    "max_tokens above the model's": ({"max_tokens": 128_001}, "128001 > 128000"),
    "max_tokens above the old model's": ({"model": OLD_HAIKU, "max_tokens": 64_001}, "64001 > 64000"),
    "stream as text": ({"stream": "yes"}, "stream: Input should be a valid boolean"),
    "blank stop sequence": ({"stop_sequences": [" "]}, "stop sequence must contain non-whitespace"),
    "unknown service tier": ({"service_tier": "fast"}, "service_tier: Input should be one of"),
    "unknown metadata": ({"metadata": {"name": "Ann"}}, "metadata.name: Extra inputs are not permitted"),
    "an address as user id": ({"metadata": {"user_id": "ann@example.org"}}, "appears to contain an email address"),
    "a container": ({"container": "box"}, "container: not offered"),
    "fast mode": ({"speed": "fast"}, "speed: fast mode"),
    # messages
    "no message": ({"messages": []}, "at least one message is required"),
    "messages as text": ({"messages": "hello"}, "messages: Input should be a valid list"),
    "unknown role": ({"messages": [{"role": "tool", "content": "x"}]}, "messages.0.role: Input should be one of"),
    "unknown field in a message": ({"messages": [{**USER, "name": "Ann"}]}, "messages.0.name: Extra inputs"),
    "no content": ({"messages": [{"role": "user"}]}, "messages.0.content: Field required"),
    "assistant first": ({"messages": [ELLA, USER]}, 'first message must use the "user" role'),
    "empty text": ({"messages": [{"role": "user", "content": ""}]}, "must have non-empty content"),
    "blank text": ({"messages": [{"role": "user", "content": " \n"}]}, "must contain non-whitespace text"),
    "no blocks": ({"messages": [user()]}, "must have non-empty content"),
    "empty text block": ({"messages": [user(block(""))]}, "text content blocks must be non-empty"),
    "blank text block": ({"messages": [user(block(" "))]}, "must contain non-whitespace text"),
    "empty marked block": (
        {"messages": [user(block("", cache_control=MARK))]},
        "cache_control cannot be set for empty",
    ),
    "unknown block": ({"messages": [user({"type": "song"})]}, "Input tag 'song'"),
    "unknown field in a block": ({"messages": [user(block("x", colour="red"))]}, "colour: Extra inputs"),
    "thinking said by the user": (
        {"messages": [user({"type": "thinking", "thinking": "x", "signature": "y"})]},
        "not permitted in 'user' messages",
    ),
    "a tool result for no tool use": (
        {"messages": [user({"type": "tool_result", "tool_use_id": "toolu_1", "content": "x"})]},
        "unexpected `tool_use_id`",
    ),
    "a tool use with no result": (
        {
            "messages": [
                USER,
                {"role": "assistant", "content": [{"type": "tool_use", "id": "toolu_1", "name": "look", "input": {}}]},
                USER,
            ]
        },
        "without `tool_result` blocks immediately after",
    ),
    "prefill": ({"messages": [USER, ELLA]}, "does not support assistant message prefill"),
    "prefill and a schema": (
        {
            "model": OLD_HAIKU,
            "messages": [USER, ELLA],
            "output_config": {"format": {"type": "json_schema", "schema": {"type": "boolean"}}},
        },
        "prefill is not supported together with output_config.format",
    ),
    "prefill that ends in a space": (
        {"model": OLD_HAIKU, "messages": [USER, {"role": "assistant", "content": "Hello "}]},
        "cannot end with trailing whitespace",
    ),
    # system, above and within
    "empty system block": ({"system": [block("")]}, "system: text content blocks must be non-empty"),
    "image in system": ({"system": [{"type": "image", "text": "x"}]}, "system.0.type: Input should be one of 'text'"),
    "system message first": ({"messages": [SYSTEM, USER]}, "messages.0: role 'system' must follow a 'user' message"),
    "system message after the assistant": (
        {"messages": [USER, ELLA, SYSTEM]},
        "messages.2: role 'system' must follow a 'user' message",
    ),
    "system message before the user": (
        {"messages": [USER, SYSTEM, USER]},
        "messages.1: role 'system' must precede an 'assistant' message or end the array",
    ),
    "two system messages": ({"messages": [USER, SYSTEM, SYSTEM]}, "must precede an 'assistant' message"),
    "image in a system message": (
        {"messages": [USER, {"role": "system", "content": [{"type": "image", "source": {}}]}]},
        "not permitted in 'system' messages",
    ),
    "system message on the old model": (
        {"model": OLD_HAIKU, "messages": [USER, SYSTEM]},
        "role 'system' is not supported on this model",
    ),
    # thinking and effort
    "opus: thinking off": ({"model": OPUS, "thinking": {"type": "disabled"}}, "'disabled' is not supported"),
    "opus: between tools": ({"model": OPUS, "thinking": {"type": "between_tools"}}, "'between_tools' is not supported"),
    "opus: a budget": (
        {"model": OPUS, "max_tokens": 4000, "thinking": {"type": "enabled", "budget_tokens": 2000}},
        "'enabled' is not supported",
    ),
    "sonnet: thinking off": ({"thinking": {"type": "disabled"}}, "'disabled' is not supported on claude-sonnet-5-5"),
    "haiku: between tools": ({"model": HAIKU, "thinking": {"type": "between_tools"}}, "is not supported"),
    "haiku: off at high effort": (
        {"model": HAIKU, "thinking": {"type": "disabled"}, "output_config": {"effort": "max"}},
        "cannot be combined with thinking.type 'disabled'",
    ),
    "old haiku: adaptive": (
        {"model": OLD_HAIKU, "thinking": {"type": "adaptive"}},
        "adaptive thinking is not supported on this model",
    ),
    "old haiku: effort": ({"model": OLD_HAIKU, "output_config": {"effort": "low"}}, "does not support the effort"),
    "small budget": (
        {"model": OLD_HAIKU, "max_tokens": 4000, "thinking": {"type": "enabled", "budget_tokens": 1023}},
        "greater than or equal to 1024",
    ),
    "budget above max_tokens": (
        {"model": OLD_HAIKU, "max_tokens": 2000, "thinking": {"type": "enabled", "budget_tokens": 2000}},
        "`max_tokens` must be greater",
    ),
    "unknown thinking": ({"thinking": {"type": "deep"}}, "thinking.type: Input should be one of"),
    "unknown field in thinking": ({"thinking": {"type": "adaptive", "budget_tokens": 9}}, "Extra inputs"),
    "unknown effort": ({"output_config": {"effort": "heroic"}}, "output_config.effort: Input should be one of"),
    "unknown output": ({"output_config": {"style": "kind"}}, "output_config.style: Extra inputs"),
    "a format without a schema": ({"output_config": {"format": {"type": "json_schema"}}}, "schema: Field required"),
    "another format": ({"output_config": {"format": {"type": "xml", "schema": {}}}}, "format.type: Input should be"),
    # tools
    "sonnet: forced tool": (
        {"tools": [TOOL], "tool_choice": {"type": "any"}},
        "'any' is not supported on claude-sonnet-5-5",
    ),
    "opus: forced tool": (
        {"model": OPUS, "tools": [TOOL], "tool_choice": {"type": "tool", "name": "look"}},
        "does not take forced tool use",
    ),
    "forced tool while thinking": (
        {"model": HAIKU, "tools": [TOOL], "tool_choice": {"type": "any"}, "thinking": {"type": "adaptive"}},
        "Thinking may not be enabled when tool_choice forces tool use",
    ),
    "a choice without tools": ({"tool_choice": {"type": "auto"}}, "only be specified while providing tools"),
    "a tool nobody gave": (
        {"model": HAIKU, "tools": [TOOL], "tool_choice": {"type": "tool", "name": "listen"}},
        "Tool 'listen' not found",
    ),
    "two tools of one name": ({"tools": [TOOL, TOOL]}, "Tool names must be unique"),
    "a name with a space": ({"tools": [{**TOOL, "name": "look up"}]}, "tools.0.name: String should match"),
    "a tool of the server": ({"tools": [{"type": "web_search_20260318", "name": "web"}]}, "custom tools only"),
    "an input that is no object": ({"tools": [{**TOOL, "input_schema": {"type": "string"}}]}, "should be 'object'"),
    "a strict tool with an open schema": ({"tools": [{**TOOL, "strict": True}]}, "additionalProperties"),
    # cache marks
    "five marks": (
        {"system": [block(f"part {n}", cache_control=MARK) for n in range(5)]},
        "A maximum of 4 blocks with cache_control may be provided. Found 5.",
    ),
    "four marks and the automatic one": (
        {"cache_control": MARK, "system": [block(f"part {n}", cache_control=MARK) for n in range(4)]},
        "Found 5",
    ),
    "an hour after five minutes": (
        {"system": [block("short", cache_control=MARK), block("long", cache_control=HOUR)]},
        "a ttl='1h' cache_control block must not come after a ttl='5m'",
    ),
    "an hour in messages after five minutes in tools": (
        {"tools": [{**TOOL, "cache_control": MARK}], "messages": [user(block("x", cache_control=HOUR))]},
        "messages.0.content.0.cache_control.ttl",
    ),
    "unknown life": ({"system": [block("x", cache_control={"type": "ephemeral", "ttl": "2h"})]}, "ttl: Input should"),
    "unknown mark": ({"system": [block("x", cache_control={"type": "forever"})]}, "cache_control.type: Input should"),
    # size
    "a prompt longer than the window": (
        {"model": OLD_HAIKU, "messages": [{"role": "user", "content": "w" * 4 * 200_001}]},
        "prompt is too long: 200001 tokens > 200000 maximum",
    ),
}


@pytest.mark.parametrize(("change", "words"), REFUSED.values(), ids=REFUSED.keys())
def test_the_provider_would_refuse(standin, sdk, change, words):
    standin.reply("should not be said")
    request = {"model": SONNET, "max_tokens": 100, "messages": [USER], **change}
    with pytest.raises(anthropic.BadRequestError) as refused:
        sdk.post("/v1/messages", body=request, cast_to=object)
    assert words in refused.value.api_message
    assert refused.value.type == "invalid_request_error"
    (logged,) = standin.requests()
    assert (logged["status"], logged["usage"]) == (400, None)
    assert sdk.messages.create(model=SONNET, max_tokens=99, messages=[USER]).content[0].text == "should not be said"


ACCEPTED = {
    "opus: adaptive": {"model": OPUS, "thinking": {"type": "adaptive"}, "output_config": {"effort": "max"}},
    "sonnet: between tools": {"thinking": {"type": "between_tools"}, "output_config": {"effort": "low"}},
    "haiku: off": {"model": HAIKU, "thinking": {"type": "disabled"}, "output_config": {"effort": "high"}},
    "old haiku: a budget": {
        "model": OLD_HAIKU,
        "max_tokens": 2000,
        "thinking": {"type": "enabled", "budget_tokens": 1024},
    },
    "old haiku: prefill": {"model": OLD_HAIKU, "messages": [USER, ELLA]},
    "two user turns": {"messages": [USER, USER]},
    "a picture": {
        "messages": [user({"type": "image", "source": {"type": "url", "url": "https://x.test/a.png"}}, block("see"))]
    },
    "tools it may use": {"tools": [TOOL], "tool_choice": {"type": "auto", "disable_parallel_tool_use": True}},
    "an hour before five minutes": {
        "system": [block("long", cache_control=HOUR), block("short", cache_control=MARK)],
        "cache_control": MARK,
    },
    "metadata": {"metadata": {"user_id": "3fa2"}, "service_tier": "auto", "stop_sequences": ["\n\nHuman"]},
    "nothing where null is allowed": {"cache_control": None, "container": None, "speed": None},
}


@pytest.mark.parametrize("change", ACCEPTED.values(), ids=ACCEPTED.keys())
def test_the_provider_would_take(sdk, change):
    request = {"model": SONNET, "max_tokens": 100, "messages": [USER], **change}
    assert sdk.post("/v1/messages", body=request, cast_to=object)["stop_reason"] == "end_turn"


def test_a_model_nobody_knows_is_not_found(sdk):
    with pytest.raises(anthropic.NotFoundError, match="model: claude-paris-9"):
        sdk.messages.create(model="claude-paris-9", max_tokens=9, messages=[USER])


def test_counting_refuses_what_creating_refuses_and_has_no_max_tokens(sdk):
    with pytest.raises(anthropic.BadRequestError, match="max_tokens: Extra inputs"):
        sdk.messages.count_tokens(model=SONNET, messages=[USER], extra_body={"max_tokens": 5})
    with pytest.raises(anthropic.BadRequestError, match="must follow a 'user' message"):
        sdk.messages.count_tokens(model=SONNET, messages=[SYSTEM])


def post(standin, content, headers=HEADERS):
    return httpx2.post(f"{standin.url}/v1/messages", content=content, headers=headers)


def test_a_request_without_a_key_is_401(standin):
    response = post(standin, b"{}", {"anthropic-version": "2026-10-21"})
    assert (response.status_code, response.json()["error"]["type"]) == (401, "authentication_error")
    assert response.json()["request_id"] == response.headers["request-id"]


def test_both_ways_of_sending_a_key_are_taken(standin):
    for auth in ({"authorization": "Bearer k"}, {"x-api-key": "k"}):
        headers = {**auth, "anthropic-version": "2026-10-21"}
        assert httpx2.get(f"{standin.url}/v1/models", headers=headers).status_code == 200


@pytest.mark.parametrize("version", [None, "2031-01-01"])
def test_a_request_without_a_known_version_is_400(standin, version):
    headers = {"authorization": "Bearer k", **({"anthropic-version": version} if version else {})}
    response = post(standin, b"{}", headers)
    assert response.status_code == 400
    assert "anthropic-version" in response.json()["error"]["message"]


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"{",
        b"\xff",
        b"[]",
        b'{"max_tokens": NaN}',
        b"[" * 100_000,
        b'{"model": "claude-sonnet-5-5", "max_tokens": 9, "messages": [{"role": "user", "content": "\\ud83d"}]}',
    ],
    ids=["nothing", "half", "not utf-8", "a list", "NaN", "a tower", "a lone surrogate"],
)
def test_a_body_that_is_not_a_json_object_is_400(standin, content):
    response = post(standin, content)
    assert (response.status_code, response.json()["error"]["type"]) == (400, "invalid_request_error")


def test_a_whole_surrogate_pair_is_a_character_like_any_other(standin):
    body = (
        b'{"model": "claude-sonnet-5-5", "max_tokens": 9, "messages": [{"role": "user", "content": "\\ud83d\\ude00"}]}'
    )
    assert post(standin, body).json()["usage"]["input_tokens"] == 1


def test_a_body_above_32_megabytes_is_413(sdk, standin):
    with pytest.raises(anthropic.RequestTooLargeError):
        sdk.messages.create(
            model=SONNET, max_tokens=9, messages=[{"role": "user", "content": "w" * (32 * 1024 * 1024)}]
        )
    assert standin.requests()[-1]["status"] == 413
