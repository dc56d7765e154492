"""Batches: taken at once, worked on by the clock, ended once, told as JSON lines in no order."""

import anthropic
import pytest

HAIKU = "claude-haiku-5-5"
DAY = 24 * 3600


def entry(custom_id, text="Hello", **more):
    params = {"model": HAIKU, "max_tokens": 100, "messages": [{"role": "user", "content": text}], **more}
    return {"custom_id": custom_id, "params": params}


def entries(number):
    return [entry(f"item-{n}", f"Hello {n}") for n in range(number)]


def results_by_id(sdk, batch_id):
    return {line.custom_id: line.result for line in sdk.messages.batches.results(batch_id)}


@pytest.fixture
def slow(standin):
    """A stand-in that works an hour on each batch, by its own clock."""
    standin.pace(batch_s=3600)
    return standin


def test_a_batch_is_in_progress_until_its_time_and_then_has_every_result(slow, sdk):
    created = sdk.messages.batches.create(requests=entries(3))
    assert (created.processing_status, created.results_url, created.ended_at) == ("in_progress", None, None)
    assert created.request_counts.processing == 3
    assert (created.expires_at - created.created_at).total_seconds() == DAY
    slow.advance(3599)
    assert sdk.messages.batches.retrieve(created.id).processing_status == "in_progress"
    slow.advance(1)
    ended = sdk.messages.batches.retrieve(created.id)
    assert (ended.processing_status, ended.request_counts.succeeded) == ("ended", 3)
    assert (ended.ended_at - ended.created_at).total_seconds() == pytest.approx(3600)
    results = results_by_id(sdk, created.id)
    assert set(results) == {"item-0", "item-1", "item-2"}
    message = results["item-0"].message
    assert (message.stop_reason, message.usage.service_tier) == ("end_turn", "batch")


def test_results_are_where_the_client_already_talks_to(standin, sdk):
    batch = sdk.messages.batches.retrieve(sdk.messages.batches.create(requests=entries(1)).id)
    assert batch.results_url == f"{standin.url}/v1/messages/batches/{batch.id}/results"


def test_results_come_in_another_order_than_the_requests(sdk):
    batch = sdk.messages.batches.create(requests=entries(30))
    order = [line.custom_id for line in sdk.messages.batches.results(batch.id)]
    assert sorted(order) == sorted(f"item-{n}" for n in range(30))
    assert order != [f"item-{n}" for n in range(30)]
    assert order == [line.custom_id for line in sdk.messages.batches.results(batch.id)]


async def test_the_async_client_reads_results_as_well(async_sdk):
    batch = await async_sdk.messages.batches.create(requests=entries(2))
    lines = [line async for line in await async_sdk.messages.batches.results(batch.id)]
    assert {line.custom_id for line in lines} == {"item-0", "item-1"}


def test_results_before_the_end_are_not_there(slow, sdk):
    batch = sdk.messages.batches.create(requests=entries(1))
    with pytest.raises(anthropic.AnthropicError, match="results_url"):
        sdk.messages.batches.results(batch.id)
    with pytest.raises(anthropic.NotFoundError):
        sdk.get(f"/v1/messages/batches/{batch.id}/results", cast_to=object)


@pytest.mark.parametrize(
    ("requests", "words"),
    [
        ([], "at least 1 item"),
        ([entry("a b")], "custom_id: String should match pattern"),
        ([entry("")], "custom_id: String should match pattern"),
        ([entry("x" * 65)], "custom_id: String should match pattern"),
        ([entry("ünique")], "custom_id: String should match pattern"),
        ([entry("same"), entry("same")], "custom_id must be unique"),
        ([{"custom_id": "a"}], "requests.0.params: Field required"),
        ([{**entry("a"), "priority": 1}], "requests.0.priority: Extra inputs"),
        ([{"custom_id": "a", "params": "hello"}], "requests.0.params: Input should be an object"),
    ],
)
def test_a_wrong_list_is_refused_whole_and_no_batch_begins(sdk, requests, words):
    with pytest.raises(anthropic.BadRequestError) as refused:
        sdk.messages.batches.create(requests=requests)
    assert words in refused.value.api_message
    assert sdk.messages.batches.list().data == []


def test_a_custom_id_of_64_characters_is_taken(sdk):
    batch = sdk.messages.batches.create(requests=[entry("Az09_-" + "x" * 58)])
    assert len(results_by_id(sdk, batch.id)) == 1


def test_a_wrong_item_is_an_errored_result_among_good_ones(sdk):
    batch = sdk.messages.batches.create(
        requests=[
            entry("good"),
            entry("warm", temperature=1),
            entry("nobody", model="claude-9"),
            entry("s", stream=True),
        ]
    )
    results = results_by_id(sdk, batch.id)
    assert {name: result.type for name, result in results.items()} == {
        "good": "succeeded",
        "warm": "errored",
        "nobody": "errored",
        "s": "errored",
    }
    assert results["warm"].error.error.type == "invalid_request_error"
    assert "temperature" in results["warm"].error.error.message
    assert results["nobody"].error.error.type == "not_found_error"
    counts = sdk.messages.batches.retrieve(batch.id).request_counts
    assert (counts.processing, counts.succeeded, counts.errored) == (0, 1, 3)


def test_items_fail_on_demand_each_in_its_own_way(standin, sdk):
    standin.fail("batch_item_errored", match={"custom_id": "item-0"})
    standin.fail("batch_item_expired", match={"contains": "Hello 1"})
    standin.fail("batch_item_canceled", match={"custom_id": "item-2"})
    standin.fail("refusal", match={"custom_id": "item-3"})
    standin.fail("max_tokens", match={"custom_id": "item-4"})
    batch = sdk.messages.batches.create(requests=entries(6))
    results = results_by_id(sdk, batch.id)
    assert [results[f"item-{n}"].type for n in range(6)] == ["errored", "expired", "canceled", *["succeeded"] * 3]
    assert results["item-0"].error.error.type == "api_error"
    assert results["item-3"].message.stop_reason == "refusal"
    assert results["item-4"].message.stop_reason == "max_tokens"
    assert results["item-5"].message.stop_reason == "end_turn"


def test_a_failure_meant_for_items_never_happens_to_a_message(standin, sdk):
    standin.fail("batch_item_errored")
    assert sdk.messages.create(**entry("x")["params"]).stop_reason == "end_turn"
    batch = sdk.messages.batches.create(requests=entries(1))
    assert results_by_id(sdk, batch.id)["item-0"].type == "errored"


def test_creating_a_batch_can_fail_and_then_none_exists(standin, sdk):
    standin.fail("overloaded", match={"path": "/v1/messages/batches", "method": "POST"})
    with pytest.raises(anthropic.InternalServerError):
        sdk.messages.batches.create(requests=entries(1))
    assert sdk.messages.batches.list().data == []


def test_a_connection_lost_after_creating_leaves_a_batch_to_be_found(standin, sdk):
    standin.fail("cut_stream", match={"path": "/v1/messages/batches", "method": "POST"})
    with pytest.raises(anthropic.APIConnectionError):
        sdk.messages.batches.create(requests=entries(2))
    (found,) = sdk.messages.batches.list().data
    assert found.request_counts.succeeded == 2


def test_items_get_chosen_replies(standin, sdk):
    standin.reply(json={"fact": "likes rain"}, match={"custom_id": "item-1"})
    batch = sdk.messages.batches.create(requests=entries(2))
    assert results_by_id(sdk, batch.id)["item-1"].message.content[0].text == '{"fact": "likes rain"}'


def test_canceling_ends_a_batch_without_results_for_what_was_not_done(slow, sdk):
    batch = sdk.messages.batches.create(requests=entries(2))
    canceling = sdk.messages.batches.cancel(batch.id)
    assert canceling.processing_status == "canceling"
    assert canceling.cancel_initiated_at is not None
    ended = sdk.messages.batches.retrieve(batch.id)
    assert (ended.processing_status, ended.request_counts.canceled) == ("ended", 2)
    assert {result.type for result in results_by_id(sdk, batch.id).values()} == {"canceled"}


def test_an_ended_batch_cannot_be_canceled_and_a_running_one_not_deleted(slow, sdk):
    batch = sdk.messages.batches.create(requests=entries(1))
    with pytest.raises(anthropic.BadRequestError, match="in progress"):
        sdk.messages.batches.delete(batch.id)
    slow.advance(3600)
    with pytest.raises(anthropic.BadRequestError, match="already ended"):
        sdk.messages.batches.cancel(batch.id)
    assert sdk.messages.batches.delete(batch.id).id == batch.id
    with pytest.raises(anthropic.NotFoundError):
        sdk.messages.batches.retrieve(batch.id)


def test_a_batch_that_is_not_done_in_a_day_expires(standin, sdk):
    standin.pace(batch_s=2 * DAY)
    batch = sdk.messages.batches.create(requests=entries(2))
    standin.advance(DAY)
    ended = sdk.messages.batches.retrieve(batch.id)
    assert (ended.processing_status, ended.request_counts.expired) == ("ended", 2)
    assert {result.type for result in results_by_id(sdk, batch.id).values()} == {"expired"}


def test_results_are_kept_for_29_days(standin, sdk):
    batch = sdk.messages.batches.create(requests=entries(1))
    standin.advance(29 * DAY - 60)
    assert results_by_id(sdk, batch.id)
    standin.advance(60)
    archived = sdk.messages.batches.retrieve(batch.id)
    assert archived.results_url is None
    assert archived.archived_at is not None
    with pytest.raises(anthropic.NotFoundError):
        sdk.get(f"/v1/messages/batches/{batch.id}/results", cast_to=object)


def test_batches_are_listed_newest_first_and_paged(sdk):
    made = [sdk.messages.batches.create(requests=entries(1)).id for _ in range(5)]
    page = sdk.messages.batches.list(limit=2)
    assert [batch.id for batch in page.data] == made[:2:-1]
    assert page.has_more
    assert [batch.id for batch in page] == made[::-1]


def test_another_key_sees_no_batch_of_this_one(sdk):
    batch = sdk.messages.batches.create(requests=entries(1))
    other = sdk.with_options(api_key="somebody-else")
    assert other.messages.batches.list().data == []
    with pytest.raises(anthropic.NotFoundError):
        other.messages.batches.retrieve(batch.id)


def test_items_of_one_batch_share_the_prompt_cache(sdk):
    system = [{"type": "text", "text": "r" * 4 * 600, "cache_control": {"type": "ephemeral", "ttl": "1h"}}]
    batch = sdk.messages.batches.create(requests=[entry(f"i{n}", system=system) for n in range(3)])
    usages = [result.message.usage for result in results_by_id(sdk, batch.id).values()]
    assert sorted(usage.cache_read_input_tokens for usage in usages) == [0, 600, 600]
