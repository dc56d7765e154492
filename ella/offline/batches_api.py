"""`/v1/messages/batches`: create, list, retrieve, cancel, delete, results."""

import functools

from starlette.responses import Response, StreamingResponse

from ella.offline.batches import Batch, read_items
from ella.offline.exchange import Exchange
from ella.offline.failures import Reach
from ella.offline.matching import CREATE_PATH, Incoming
from ella.offline.messages_api import answer_item
from ella.offline.pages import page, read_limit

MAX_BATCH_BYTES = 256 * 1024 * 1024
_ITEM_REACHES = (Reach.ANSWER, Reach.ITEM)


async def create_batch(exchange: Exchange) -> Response:
    items = read_items(exchange.body)
    state = exchange.state
    for item in items:
        alone = Incoming("POST", CREATE_PATH, exchange.incoming.headers, item.params, item.custom_id)
        item.failure = state.failures.take(alone, _ITEM_REACHES)
    batch = state.batches.open(items, credential=exchange.credential, work_s=state.pace.batch_s)
    return await _send(exchange, batch)


async def list_batches(exchange: Exchange) -> Response:
    query = exchange.http.query_params
    limit = read_limit(query.get("limit"))
    batches = exchange.state.batches.newest_first(credential=exchange.credential)
    for batch in batches:
        await _bring_up_to_date(exchange, batch)
    rows = [exchange.state.batches.as_json(batch, _base_url(exchange)) for batch in batches]
    return await exchange.send_json(
        page(rows, after_id=query.get("after_id"), before_id=query.get("before_id"), limit=limit)
    )


async def retrieve_batch(exchange: Exchange) -> Response:
    batch = _batch(exchange)
    await _bring_up_to_date(exchange, batch)
    return await _send(exchange, batch)


async def cancel_batch(exchange: Exchange) -> Response:
    batch = _batch(exchange)
    await _bring_up_to_date(exchange, batch)
    exchange.state.batches.cancel(batch)
    return await _send(exchange, batch)


async def delete_batch(exchange: Exchange) -> Response:
    batch = _batch(exchange)
    await _bring_up_to_date(exchange, batch)
    exchange.state.batches.delete(batch)
    return await exchange.send_json({"id": batch.id, "type": "message_batch_deleted"})


async def batch_results(exchange: Exchange) -> Response:
    batch = _batch(exchange)
    await _bring_up_to_date(exchange, batch)
    lines = exchange.watched(exchange.state.batches.results(batch))
    return StreamingResponse(lines, media_type="application/x-jsonl", headers={"request-id": exchange.request_id})


def _batch(exchange: Exchange) -> Batch:
    return exchange.state.batches.get(exchange.http.path_params["batch_id"], credential=exchange.credential)


async def _bring_up_to_date(exchange: Exchange, batch: Batch) -> None:
    await exchange.state.batches.bring_up_to_date(batch, functools.partial(answer_item, exchange.state))


async def _send(exchange: Exchange, batch: Batch) -> Response:
    return await exchange.send_json(exchange.state.batches.as_json(batch, _base_url(exchange)))


def _base_url(exchange: Exchange) -> str:
    # The host the client already talks to: the SDK sends its key along to wherever `results_url` points.
    return str(exchange.http.base_url).rstrip("/")
