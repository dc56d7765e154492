"""`POST /v1/messages` and `/v1/messages/count_tokens`: from a validated request to the message, streamed or whole."""

from collections.abc import Mapping
from typing import Any

from starlette.responses import Response, StreamingResponse

from ella.offline.cache import CacheUse
from ella.offline.errors import new_id, refuse
from ella.offline.exchange import Exchange
from ella.offline.failures import Failure, FailureName
from ella.offline.matching import CREATE_PATH, Incoming
from ella.offline.models import ModelRules
from ella.offline.prompt import PromptBlock
from ella.offline.replies import Reply, compose, in_deltas
from ella.offline.state import StandInState
from ella.offline.streaming import Delivery, events, script
from ella.offline.validation import check_count, check_create

_BROKEN_OFF = (FailureName.CUT_STREAM, FailureName.STREAM_ERROR, FailureName.MALFORMED_BODY)
_STREAM_HEADERS = {"cache-control": "no-cache"}


async def create_message(exchange: Exchange) -> Response:
    rules, blocks = check_create(exchange.body)
    state, failure, entry = exchange.state, exchange.failure, exchange.entry
    reply, use = _think(state, exchange.incoming, rules, blocks, credential=exchange.credential, failure=failure)
    usage = {**use.as_usage(), **reply.usage(), "service_tier": "standard"}
    message = _message(exchange.body, reply, usage)
    if not exchange.incoming.streams:
        deltas = sum(len(in_deltas(block["text"])) for block in reply.blocks if block["type"] == "text")
        response = await exchange.send_json(message, pace=state.pace, deltas=deltas)
    else:
        delivery = Delivery.plan(state.pace, failure, exchange.hang_up)
        await exchange.before_first_byte(delivery.first_byte_s)
        steps = script(_not_yet_said(message), reply, use.as_usage())
        chunks = exchange.watched(events(steps, reply, delivery, exchange.request_id))
        headers = {**_STREAM_HEADERS, "request-id": exchange.request_id}
        response = StreamingResponse(chunks, media_type="text/event-stream", headers=headers)
    state.cache.settle(use)
    entry.usage = usage
    entry.stop_reason = None if failure is not None and failure.name in _BROKEN_OFF else reply.stop_reason
    return response


async def count_tokens(exchange: Exchange) -> Response:
    blocks = check_count(exchange.body)
    return await exchange.send_json({"input_tokens": sum(block.tokens for block in blocks)})


def answer_item(
    state: StandInState, params: Any, *, credential: str, failure: Failure | None, custom_id: str
) -> dict[str, Any]:
    """The finished message of one batch item; ProviderError when the item is not valid."""
    if params.get("stream"):
        refuse("stream: streaming is not available in a batch")
    rules, blocks = check_create(params)
    incoming = Incoming("POST", CREATE_PATH, {}, params, custom_id)
    reply, use = _think(state, incoming, rules, blocks, credential=credential, failure=failure)
    state.cache.settle(use)
    return _message(params, reply, {**use.as_usage(), **reply.usage(), "service_tier": "batch"})


def _think(
    state: StandInState,
    incoming: Incoming,
    rules: ModelRules,
    blocks: list[PromptBlock],
    *,
    credential: str,
    failure: Failure | None,
) -> tuple[Reply, CacheUse]:
    room = rules.context_tokens - sum(block.tokens for block in blocks)
    chosen = state.replies.take(incoming)
    reply = compose(incoming.body, rules, room_tokens=room, chosen=chosen, failure=failure)
    use = state.cache.look_up(incoming.body, blocks, credential=credential, minimum=rules.min_cacheable_tokens)
    return reply, use


def _message(request: Mapping[str, Any], reply: Reply, usage: dict[str, Any]) -> dict[str, Any]:
    return {
        "id": new_id("msg"),
        "type": "message",
        "role": "assistant",
        "model": request["model"],
        "content": reply.blocks,
        "stop_reason": reply.stop_reason,
        "stop_sequence": reply.stop_sequence,
        "stop_details": reply.stop_details,
        "usage": usage,
    }


def _not_yet_said(message: dict[str, Any]) -> dict[str, Any]:
    """The message as `message_start` shows it: what was read is known, what will be said is not."""
    nothing: dict[str, Any] = {"content": [], "stop_reason": None, "stop_sequence": None, "stop_details": None}
    usage = {**message["usage"], "output_tokens": 1, "output_tokens_details": None}
    return {**message, **nothing, "usage": usage}
