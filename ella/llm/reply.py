"""
Reading a streamed answer, event by event, into text, blocks and usage. Knows the provider's wire words and nothing of
sockets, retries or clocks, so the synchronous and the asynchronous gateway read alike.

Two things must never pass for a short reply: an `error` event inside a 200, and a stream that simply ends without a
stop reason.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Protocol

from ella.llm.errors import ErrorCode, ModelError
from ella.llm.outcome import Usage
from ella.llm.tokens import estimate_tokens

_FINISHED = frozenset({"end_turn", "stop_sequence", "max_tokens"})


class WireEvent(Protocol):
    """One server-sent event, as the SDK's decoder gives it."""

    @property
    def event(self) -> str | None: ...
    @property
    def data(self) -> str: ...


def storable(text: str) -> str:
    """Without what no database and no client takes: NUL is dropped, half a surrogate pair becomes U+FFFD."""
    if "\x00" in text:
        text = text.replace("\x00", "")
    if text.isascii():
        return text
    # UTF-16 joins a pair that arrived as two escapes and shows a half that stayed alone.
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


class Reply:
    """
    One try's answer as it arrives. `take` each event, then `check_ending`; `text`, `blocks` and `usage` may be read
    at any time.
    """

    def __init__(self) -> None:
        self.stop_reason = ""
        self._stop_detail = ""
        self._usage = Usage()
        self._usage_final = False
        self._blocks: list[dict[str, Any]] = []
        self._grown: list[dict[str, list[str]]] = []  # per block: field → the pieces that arrived after it began

    def take(self, wire: WireEvent) -> str:
        """
        The text this event adds for a reader; empty for every other event. Raises ModelError for an `error` event or
        one that cannot be read.
        """
        if wire.event is None or wire.event == "ping" or not wire.data:
            return ""
        try:
            event = json.loads(wire.data)
            if wire.event == "error":
                raise _stream_error(event)
            return self._apply(event)
        except (ValueError, LookupError, TypeError, AttributeError) as exc:
            raise ModelError(ErrorCode.STREAM_ERROR, f"an event that cannot be read: {exc!r}") from exc

    def _apply(self, event: Mapping[str, Any]) -> str:
        match event["type"]:
            case "message_start":
                self._usage = _usage_at_start(event["message"]["usage"])
            case "content_block_start":
                block = dict(event["content_block"])
                if block["type"] == "text":
                    block["text"] = storable(block["text"])
                self._blocks.append(block)
                self._grown.append({})
                return block["text"] if block["type"] == "text" else ""
            case "content_block_delta":
                return self._grow(event["index"], event["delta"])
            case "message_delta":
                self.stop_reason = event["delta"].get("stop_reason") or ""
                self._stop_detail = (event["delta"].get("stop_details") or {}).get("category") or ""
                self._usage = _usage_at_end(self._usage, event.get("usage") or {})
                self._usage_final = True
        return ""

    def _grow(self, index: int, delta: Mapping[str, Any]) -> str:
        match delta["type"]:
            case "text_delta":
                text = storable(delta["text"])
                self._grown[index].setdefault("text", []).append(text)
                return text if self._blocks[index]["type"] == "text" else ""
            case "thinking_delta":
                self._grown[index].setdefault("thinking", []).append(storable(delta["thinking"]))
            case "signature_delta":
                self._grown[index].setdefault("signature", []).append(delta["signature"])
        return ""

    @property
    def refused(self) -> bool:
        return self.stop_reason == "refusal"

    @property
    def blocks(self) -> list[dict[str, Any]]:
        """Content blocks as they came, each whole as far as it came."""
        return [
            {**block, **{key: (block.get(key) or "") + "".join(pieces) for key, pieces in grown.items()}}
            for block, grown in zip(self._blocks, self._grown, strict=True)
        ]

    @property
    def text(self) -> str:
        """What may be shown. Empty after a refusal: the provider asks that what came before it be thrown away."""
        if self.refused:
            return ""
        return "".join(block["text"] for block in self.blocks if block["type"] == "text")

    @property
    def usage_estimated(self) -> bool:
        return bool(self._blocks) and not self._usage_final

    @property
    def usage(self) -> Usage:
        """
        The provider's count. Until its last event the output is not in it, so for a stream that was left or cut short
        the output is estimated from what arrived: those words are paid for too.
        """
        if not self.usage_estimated:
            return self._usage
        arrived = sum(estimate_tokens("".join(pieces)) for grown in self._grown for pieces in grown.values())
        return replace(self._usage, output_tokens=max(self._usage.output_tokens, arrived))

    def check_ending(self) -> None:
        """
        Raises ModelError unless the answer ended as an answer does and has words in it. Running into `max_tokens` is
        no error here.
        """
        if not self.stop_reason:
            raise ModelError(ErrorCode.CUT_OFF, "the stream ended without a stop reason")
        if self.refused:
            raise ModelError(ErrorCode.REFUSED, self._stop_detail or "no category given")
        if self.stop_reason == "model_context_window_exceeded":
            raise ModelError(ErrorCode.CONTEXT_EXCEEDED, "prompt and reply together outgrew the model's context")
        if self.stop_reason not in _FINISHED:
            raise ModelError(ErrorCode.UNEXPECTED_STOP, self.stop_reason)
        if not self.text.strip():
            # Thinking counts against max_tokens, so a small limit can be used up before the first word.
            code = ErrorCode.TRUNCATED if self.stop_reason == "max_tokens" else ErrorCode.EMPTY
            raise ModelError(code, f"no text, stopped for {self.stop_reason}")


def _stream_error(event: Mapping[str, Any]) -> ModelError:
    error = event.get("error") or {}
    return ModelError(
        ErrorCode.STREAM_ERROR,
        f"{error.get('type', 'unknown')}: {error.get('message', '')}",
        request_id=event.get("request_id") or "",
    )


def _usage_at_start(counts: Mapping[str, Any]) -> Usage:
    written = counts.get("cache_creation_input_tokens") or 0
    by_ttl = counts.get("cache_creation") or {}
    one_hour = by_ttl.get("ephemeral_1h_input_tokens") or 0
    return Usage(
        input_tokens=counts.get("input_tokens") or 0,
        cache_read_tokens=counts.get("cache_read_input_tokens") or 0,
        # Without the breakdown every write is a five-minute one: that is the default a request asks for.
        cache_write_5m_tokens=by_ttl.get("ephemeral_5m_input_tokens", written - one_hour),
        cache_write_1h_tokens=one_hour,
        output_tokens=counts.get("output_tokens") or 0,
    )


def _usage_at_end(begun: Usage, counts: Mapping[str, Any]) -> Usage:
    """The last event's counts are totals of the whole reply; those it leaves out stand as they were."""
    told = {
        "input_tokens": counts.get("input_tokens"),
        "cache_read_tokens": counts.get("cache_read_input_tokens"),
        "output_tokens": counts.get("output_tokens"),
    }
    return replace(begun, **{name: count for name, count in told.items() if count is not None})
