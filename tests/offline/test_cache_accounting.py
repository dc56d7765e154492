"""What a request would have written to the provider's prompt cache, and read from it: never a token more."""

import asyncio

import pytest

SONNET, OLD_HAIKU = "claude-sonnet-5-5", "claude-haiku-4-5"
FIVE = {"type": "ephemeral"}
HOUR = {"type": "ephemeral", "ttl": "1h"}
TOOL = {"name": "look", "input_schema": {"type": "object"}}


def words(name, tokens):
    """A text of exactly so many tokens, unlike the text of another name."""
    return (name * 4 * tokens)[: 4 * tokens]


def part(name, tokens, mark=None):
    block = {"type": "text", "text": words(name, tokens)}
    return {**block, "cache_control": mark} if mark else block


def turn(*blocks, role="user"):
    return {"role": role, "content": list(blocks)}


@pytest.fixture
def ask(sdk):
    """Send a request and return (read, written for 5 minutes, written for 1 hour, neither)."""

    def ask(**request):
        request = {"model": SONNET, "max_tokens": 50, "messages": [turn(part("u", 10))], **request}
        usage = sdk.messages.create(**request).usage
        creation = usage.cache_creation
        assert usage.cache_creation_input_tokens == (
            creation.ephemeral_5m_input_tokens + creation.ephemeral_1h_input_tokens
        )
        return (
            usage.cache_read_input_tokens,
            creation.ephemeral_5m_input_tokens,
            creation.ephemeral_1h_input_tokens,
            usage.input_tokens,
        )

    return ask


def test_without_a_mark_nothing_is_cached(ask):
    for _ in range(2):
        assert ask(system=[part("s", 2000)]) == (0, 0, 0, 2010)


def test_a_marked_prefix_is_written_once_and_then_read(ask):
    system = [part("s", 600, FIVE)]
    assert ask(system=system) == (0, 600, 0, 10)
    assert ask(system=system) == (600, 0, 0, 10)
    assert ask(system=system, messages=[turn(part("other", 30))]) == (600, 0, 0, 30)


def test_a_stream_counts_as_a_whole_message_does(sdk):
    request = {"model": SONNET, "max_tokens": 50, "messages": [turn(part("u", 600, FIVE))]}
    for expected in ((0, 600), (600, 0)):
        with sdk.messages.stream(**request) as stream:
            usage = stream.get_final_message().usage
        assert (usage.cache_read_input_tokens, usage.cache_creation_input_tokens, usage.input_tokens) == (*expected, 0)


@pytest.mark.parametrize(("model", "minimum"), [(SONNET, 512), (OLD_HAIKU, 4096)])
def test_below_the_minimum_of_the_model_it_silently_does_not_cache(ask, model, minimum):
    for _ in range(2):
        assert ask(model=model, system=[part("s", minimum - 1, FIVE)]) == (0, 0, 0, minimum + 9)
    assert ask(model=model, system=[part("t", minimum, FIVE)]) == (0, minimum, 0, 10)


def test_one_changed_letter_is_a_miss(ask):
    ask(system=[part("s", 600, FIVE)])
    changed = part("s", 600, FIVE)
    changed["text"] = "S" + changed["text"][1:]
    assert ask(system=[changed]) == (0, 600, 0, 10)


def test_what_stands_before_the_mark_decides_and_tools_stand_before_system(ask):
    ask(system=[part("s", 600, FIVE)])
    read, written, _, _ = ask(system=[part("s", 600, FIVE)], tools=[TOOL])
    assert read == 0
    assert written > 600


def test_the_order_of_keys_in_a_tool_is_part_of_its_bytes(ask):
    tools = [
        {"name": "look", "description": words("d", 600), "input_schema": {"type": "object"}, "cache_control": FIVE}
    ]
    (_, written, _, _) = ask(tools=tools)
    assert ask(tools=tools)[0] == written
    assert ask(tools=[dict(reversed(tools[0].items()))])[0] == 0


def test_a_mark_in_the_system_of_another_role_is_another_prefix(ask):
    ask(system=[part("s", 600, FIVE)])
    assert ask(messages=[turn(part("s", 600, FIVE))])[0] == 0


def test_five_minutes_run_out_and_every_read_begins_them_again(ask, standin):
    system = [part("s", 600, FIVE)]
    ask(system=system)
    standin.advance(299)
    assert ask(system=system)[0] == 600
    standin.advance(299)
    assert ask(system=system)[0] == 600
    standin.advance(301)
    assert ask(system=system) == (0, 600, 0, 10)


def test_an_hour_is_an_hour(ask, standin):
    system = [part("s", 600, HOUR)]
    assert ask(system=system) == (0, 0, 600, 10)
    standin.advance(3599)
    assert ask(system=system) == (600, 0, 0, 10)
    standin.advance(3601)
    assert ask(system=system) == (0, 0, 600, 10)


def test_both_lives_in_one_request_are_billed_apart(ask, standin):
    request = {
        "system": [part("rules", 600, HOUR), part("world", 100, FIVE)],
        "messages": [turn(part("u", 10, FIVE), part("v", 7))],
    }
    assert ask(**request) == (0, 110, 600, 7)
    assert ask(**request) == (710, 0, 0, 7)
    standin.advance(400)
    assert ask(**request) == (600, 110, 0, 7)


def test_a_growing_conversation_reads_what_it_had_and_writes_what_is_new(ask):
    turns = [turn(part("a", 600, FIVE))]
    assert ask(messages=turns) == (0, 600, 0, 0)
    turns = [turn(part("a", 600)), turn(part("b", 20), role="assistant"), turn(part("c", 30, FIVE))]
    assert ask(messages=turns) == (600, 50, 0, 0)
    assert ask(messages=turns) == (650, 0, 0, 0)


def test_the_automatic_mark_moves_to_the_last_block(ask):
    turns = [turn(part("a", 600))]
    assert ask(messages=turns, cache_control=FIVE) == (0, 600, 0, 0)
    turns += [turn(part("b", 20), role="assistant"), turn(part("c", 30))]
    assert ask(messages=turns, cache_control=FIVE) == (600, 50, 0, 0)


@pytest.mark.parametrize(("added", "found"), [(19, True), (20, False)])
def test_a_mark_looks_back_over_twenty_positions_itself_the_first(ask, added, found):
    ask(messages=[turn(part("a", 600, FIVE))])
    later = [part(f"n{n}", 5) for n in range(added - 1)] + [part("last", 5, FIVE)]
    read, written, _, rest = ask(messages=[turn(part("a", 600), *later)])
    assert (read, written, rest) == ((600, 5 * added, 0) if found else (0, 600 + 5 * added, 0))


def test_a_mark_that_is_no_longer_set_is_still_found_from_a_later_one(ask):
    ask(system=[part("s", 600, FIVE), part("t", 100)])
    assert ask(system=[part("s", 600), part("t", 100, FIVE)]) == (600, 100, 0, 10)


@pytest.mark.parametrize(
    "change",
    [
        {"model": "claude-opus-5-5"},
        {"output_config": {"effort": "low"}},
        {"output_config": {"format": {"type": "json_schema", "schema": {"type": "boolean"}}}},
        {"tools": [TOOL]},
    ],
    ids=["model", "effort", "format", "tools"],
)
def test_a_change_of_model_effort_format_or_tools_empties_the_whole_cache(ask, change):
    ask(system=[part("s", 600, FIVE)])
    assert ask(system=[part("s", 600, FIVE)], **change)[0] == 0
    assert ask(system=[part("s", 600, FIVE)])[0] == 600


def test_a_change_of_thinking_empties_the_messages_and_leaves_tools_and_system(ask):
    request = {"system": [part("s", 600, FIVE)], "messages": [turn(part("u", 100, FIVE))]}
    assert ask(**request) == (0, 700, 0, 0)
    assert ask(**request, thinking={"type": "between_tools"}) == (600, 100, 0, 0)


def test_another_schema_empties_the_cache_and_its_tokens_count(ask):
    def shape(name):
        schema = {"type": "object", "properties": {name: {"type": "string"}}, "additionalProperties": False}
        return {"format": {"type": "json_schema", "schema": schema}}

    _, first, _, _ = ask(system=[part("s", 600, FIVE)], output_config=shape("mood"))
    assert first > 600
    assert ask(system=[part("s", 600, FIVE)], output_config=shape("mood"))[0] == first
    assert ask(system=[part("s", 600, FIVE)], output_config=shape("fact"))[0] == 0


def test_another_key_sees_nothing_of_it(ask, sdk):
    system = [part("s", 600, FIVE)]
    ask(system=system)
    request = {"model": SONNET, "max_tokens": 50, "system": system, "messages": [turn(part("u", 10))]}
    usage = sdk.with_options(api_key="somebody-else").messages.create(**request).usage
    assert usage.cache_read_input_tokens == 0


def test_a_request_that_fails_writes_nothing(ask, sdk, standin):
    standin.fail("overloaded")
    system = [part("s", 600, FIVE)]
    with pytest.raises(Exception, match="Overloaded"):
        ask(system=system)
    assert ask(system=system)[:2] == (0, 600)


async def test_two_requests_at_once_both_write_because_neither_has_begun_to_answer(async_sdk, standin):
    standin.pace(first_byte_s=0.3)
    request = {"model": SONNET, "max_tokens": 50, "messages": [turn(part("u", 600, FIVE))]}

    async def written(**options):
        message = await async_sdk.messages.create(**request, **options)
        return message.usage.cache_creation_input_tokens

    assert await asyncio.gather(written(), written()) == [600, 600]
    assert await written() == 0
