"""
One reply, before it is sent: its blocks, why it stopped, what it weighs.

The text comes from `reading.answer`, or was chosen by a test; everything a real model does to a text afterwards
(thinking first, stop sequences, the end of `max_tokens`) is done here, and so is every failure that lies in the
reply itself. It must never add a word of its own to a plain reply.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from ella.offline.errors import new_id, refuse
from ella.offline.failures import Failure, FailureName
from ella.offline.fields import must_be, must_be_times, one_of
from ella.offline.matching import Incoming, Match
from ella.offline.models import ModelRules
from ella.offline.reading.answer import answer
from ella.offline.tokens import count_block, cut_to_tokens
from ella.offline.turns import sign_thinking

STOP_REASONS = (
    "end_turn",
    "max_tokens",
    "stop_sequence",
    "tool_use",
    "pause_turn",
    "refusal",
    "model_context_window_exceeded",
)
THOUGHT = "The last message is read again, together with what was sent before it."
_CUT_SHORT = {
    FailureName.REFUSAL: "refusal",
    FailureName.MAX_TOKENS: "max_tokens",
    FailureName.CONTEXT_WINDOW: "model_context_window_exceeded",
    FailureName.PAUSE_TURN: "pause_turn",
}


@dataclass(slots=True)
class Reply:
    """What will be sent. `thinking_tokens` count as output even where the thinking itself is not shown."""

    blocks: list[dict[str, Any]]
    stop_reason: str = "end_turn"
    stop_sequence: str | None = None
    stop_details: dict[str, Any] | None = None
    thinking_tokens: int = 0

    @property
    def output_tokens(self) -> int:
        spoken = sum(count_block(block) for block in self.blocks if block["type"] != "thinking")
        # An empty reply is billed too: its end is a token.
        return max(1, spoken + self.thinking_tokens)

    def usage(self) -> dict[str, Any]:
        return {
            "output_tokens": self.output_tokens,
            "output_tokens_details": {"thinking_tokens": self.thinking_tokens},
        }


@dataclass(slots=True)
class ChosenReply:
    """A reply that a test chose for the next matching requests."""

    blocks: list[dict[str, Any]]
    stop_reason: str | None
    match: Match
    times: int


@dataclass(slots=True)
class ReplyQueue:
    """Chosen replies waiting for their requests, in the order they were asked for."""

    waiting: list[ChosenReply] = field(default_factory=list)

    def take(self, incoming: Incoming) -> ChosenReply | None:
        for chosen in self.waiting:
            if chosen.match.accepts(incoming):
                chosen.times -= 1
                if chosen.times <= 0:
                    self.waiting.remove(chosen)
                return chosen
        return None


def read_chosen(value: Mapping[str, Any], match: Match) -> ChosenReply:
    """Build a chosen reply from `text`, `json` or `content`; refuse anything else."""
    given = [name for name in ("text", "json", "content") if name in value]
    if len(given) != 1:
        refuse("a chosen reply has exactly one of: text, json, content")
    if given == ["text"]:
        must_be("text", value["text"], str)
        blocks = [{"type": "text", "text": value["text"]}]
    elif given == ["json"]:
        blocks = [{"type": "text", "text": json.dumps(value["json"], ensure_ascii=False)}]
    else:
        must_be("content", value["content"], list)
        for index, block in enumerate(value["content"]):
            must_be(f"content.{index}", block, dict)
            one_of(f"content.{index}.type", block.get("type"), ("text", "thinking", "tool_use"))
        blocks = [dict(block) for block in value["content"]]
    stop_reason = value.get("stop_reason")
    if stop_reason is not None:
        one_of("stop_reason", stop_reason, STOP_REASONS)
    times = value.get("times", 1)
    must_be_times(times)
    return ChosenReply(blocks, stop_reason, match, times)


def compose(
    request: Mapping[str, Any],
    rules: ModelRules,
    *,
    room_tokens: int,
    chosen: ChosenReply | None = None,
    failure: Failure | None = None,
) -> Reply:
    """The reply to a validated request. `room_tokens`: what the context window leaves for it."""
    reply = Reply(_own_blocks(request) if chosen is None else [dict(block) for block in chosen.blocks])
    if any(block["type"] == "tool_use" for block in reply.blocks):
        reply.stop_reason = "tool_use"
    _think_first(reply, request, rules, failure)
    _stop_at_sequence(reply, request.get("stop_sequences") or ())
    _stop_at_limit(reply, request["max_tokens"], room_tokens)
    if chosen is not None and chosen.stop_reason is not None:
        reply.stop_reason = chosen.stop_reason
    if failure is not None:
        _fail(reply, request, failure)
    return reply


def _own_blocks(request: Mapping[str, Any]) -> list[dict[str, Any]]:
    forced = _forced_tool(request)
    if forced is not None:
        return [_tool_use(request, forced)]
    text = answer(dict(request))
    return [{"type": "text", "text": text}] if text else []


def _forced_tool(request: Mapping[str, Any]) -> Mapping[str, Any] | None:
    choice = request.get("tool_choice") or {}
    tools: list[Mapping[str, Any]] = request.get("tools") or []
    if choice.get("type") == "any":
        return tools[0]
    if choice.get("type") == "tool":
        return next(tool for tool in tools if tool["name"] == choice["name"])
    return None


def _tool_use(request: Mapping[str, Any], tool: Mapping[str, Any]) -> dict[str, Any]:
    """Fill the tool's input as a structured answer to the same request would be filled."""
    as_format = {"format": {"type": "json_schema", "schema": tool["input_schema"]}}
    return {
        "type": "tool_use",
        "id": new_id("toolu"),
        "name": tool["name"],
        "input": json.loads(answer({**request, "output_config": as_format})),
    }


def _think_first(reply: Reply, request: Mapping[str, Any], rules: ModelRules, failure: Failure | None) -> None:
    config = request.get("thinking") or {}
    on_demand = failure is not None and failure.name is FailureName.THINKING_FIRST
    if on_demand and failure is not None:
        thought, shown = failure.text("text", THOUGHT), True
    elif config.get("type") in ("enabled", "adaptive"):
        thought = THOUGHT
        shown = (config.get("display") or ("summarized" if rules.shows_thinking else "omitted")) == "summarized"
    else:
        return
    block = {"type": "thinking", "thinking": thought, "signature": sign_thinking(thought)}
    reply.thinking_tokens = count_block(block)
    if not shown:
        block["thinking"] = ""
    reply.blocks.insert(0, block)


def _stop_at_sequence(reply: Reply, sequences: Any) -> None:
    for index, block in enumerate(reply.blocks):
        if block["type"] != "text":
            continue
        found = [(block["text"].find(sequence), sequence) for sequence in sequences if sequence in block["text"]]
        if found:
            at, sequence = min(found)
            block["text"] = block["text"][:at]
            del reply.blocks[index + 1 :]
            reply.stop_reason, reply.stop_sequence = "stop_sequence", sequence
            return


def _stop_at_limit(reply: Reply, max_tokens: int, room_tokens: int) -> None:
    limit = min(max_tokens, room_tokens)
    if (
        sum(count_block(block) for block in reply.blocks if block["type"] != "thinking") + reply.thinking_tokens
        <= limit
    ):
        return
    reply.stop_reason = "max_tokens" if max_tokens <= room_tokens else "model_context_window_exceeded"
    reply.stop_sequence = None
    left = limit - reply.thinking_tokens
    kept: list[dict[str, Any]] = []
    for block in reply.blocks:
        if block["type"] == "thinking":
            kept.append(block)
            continue
        if left <= 0:
            break
        if block["type"] == "text":
            kept.append({**block, "text": cut_to_tokens(block["text"], left)})
        left -= count_block(block)
    reply.blocks = kept if max_tokens > 0 else []


def _fail(reply: Reply, request: Mapping[str, Any], failure: Failure) -> None:
    if failure.name in _CUT_SHORT:
        _cut_short(reply, request, failure)
    elif failure.name is FailureName.EMPTY:
        reply.blocks = []
    elif failure.name is FailureName.MALFORMED_OUTPUT:
        for block in reply.blocks:
            if block["type"] == "text":
                block["text"] = '{"unfinished": [' + block["text"][: len(block["text"]) // 2]
    elif failure.name is FailureName.TOOL_USE:
        tools: list[Mapping[str, Any]] = request.get("tools") or [
            {"name": "a_tool", "input_schema": {"type": "object"}}
        ]
        use = _tool_use(request, tools[0])
        use["name"] = failure.text("name", use["name"])
        reply.blocks.append(use)
        reply.stop_reason = "tool_use"


def _cut_short(reply: Reply, request: Mapping[str, Any], failure: Failure) -> None:
    reply.stop_reason, reply.stop_sequence = _CUT_SHORT[failure.name], None
    # A refusal that is not streamed comes with nothing; a stream has said something before the refusal falls.
    default = 0 if failure.name is FailureName.REFUSAL and not request.get("stream") else None
    for block in reply.blocks:
        if block["type"] == "text":
            block["text"] = block["text"][: how_far(block["text"], failure, default)]
    reply.blocks = [block for block in reply.blocks if block["type"] != "text" or block["text"]]
    if failure.name is FailureName.REFUSAL:
        reply.stop_details = {
            "type": "refusal",
            "category": failure.text("category", "general_harms"),
            "explanation": failure.text("explanation", "The request was declined, because a test asked for it."),
        }


def how_far(text: str, failure: Failure, default: int | None = None) -> int:
    """
    How many characters come before the failure: `after_chars`, `after_deltas` words, the default, or half of the
    text.
    """
    if "after_chars" in failure.params:
        return int(failure.number("after_chars", 0))
    if "after_deltas" in failure.params:
        return len("".join(in_deltas(text)[: int(failure.number("after_deltas", 0))]))
    return len(text) // 2 if default is None else default


def in_deltas(text: str) -> list[str]:
    """The text in word-sized pieces, each with the white space after it; joined they are the text again."""
    pieces: list[str] = []
    start = 0
    for index in range(1, len(text)):
        if text[index - 1].isspace() and not text[index].isspace():
            pieces.append(text[start:index])
            start = index
    if text:
        pieces.append(text[start:])
    return pieces
