"""
Who may speak where, and in what: the rules of `messages` and of the blocks in them.

A system message inside the conversation is the subtle one: never first, right after a user turn, and last or before
an assistant turn.
"""

import hashlib
from collections.abc import Mapping, Sequence
from typing import Any

from ella.offline.errors import refuse
from ella.offline.fields import check_cache_mark, must_be, must_have_only, one_of
from ella.offline.models import ModelRules

MAX_MESSAGES = 100_000

# type → (required fields, optional fields, roles that may say it)
_BLOCKS: dict[str, tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...]]] = {
    "text": (("type", "text"), ("cache_control", "citations"), ("user", "assistant", "system")),
    "image": (("type", "source"), ("cache_control",), ("user",)),
    "thinking": (("type", "thinking", "signature"), (), ("assistant",)),
    "redacted_thinking": (("type", "data"), (), ("assistant",)),
    "tool_use": (("type", "id", "name", "input"), ("cache_control", "caller", "toolset_name"), ("assistant",)),
    "tool_result": (("type", "tool_use_id"), ("content", "is_error", "cache_control", "toolset_name"), ("user",)),
}


def sign_thinking(thinking: str) -> str:
    """The signature that lets a thinking block be recognised, unchanged, when the client sends it back."""
    return hashlib.sha256(b"stand-in thinking\0" + thinking.encode("utf-8", "surrogatepass")).hexdigest()


def check_messages(messages: Any, rules: ModelRules, *, structured: bool) -> None:
    """Refuse a conversation the model would not be given. `structured`: the reply must follow a schema."""
    must_be("messages", messages, list)
    if not messages:
        refuse("messages: at least one message is required")
    if len(messages) > MAX_MESSAGES:
        refuse(f"messages: at most {MAX_MESSAGES} messages are allowed")
    for index, message in enumerate(messages):
        path = f"messages.{index}"
        must_have_only(path, message, required=("role", "content"))
        one_of(f"{path}.role", message["role"], ("user", "assistant", "system"))
    _check_places(messages, rules)
    for index, message in enumerate(messages):
        last = index == len(messages) - 1
        _check_content(f"messages.{index}", message, may_be_empty=last and message["role"] == "assistant")
    _check_tool_pairs(messages)
    _check_prefill(messages[-1], rules, structured=structured)


def check_system(system: Any) -> None:
    """The top-level `system`: a text or a list of text blocks, none of them empty."""
    if isinstance(system, str):
        return
    must_be("system", system, list)
    for index, block in enumerate(system):
        path = f"system.{index}"
        must_have_only(path, block, required=("type", "text"), optional=("cache_control", "citations"))
        one_of(f"{path}.type", block["type"], ("text",))
        _check_text("system", path, block)


def _check_places(messages: Sequence[Mapping[str, Any]], rules: ModelRules) -> None:
    if any(message["role"] == "system" for message in messages) and not rules.system_in_messages:
        refuse("role 'system' is not supported on this model")
    if messages[0]["role"] == "assistant":
        refuse('messages: first message must use the "user" role')
    for index, message in enumerate(messages):
        if message["role"] != "system":
            continue
        if index == 0 or messages[index - 1]["role"] != "user":
            refuse(f"messages.{index}: role 'system' must follow a 'user' message")
        if index + 1 < len(messages) and messages[index + 1]["role"] != "assistant":
            refuse(f"messages.{index}: role 'system' must precede an 'assistant' message or end the array")


def _check_content(path: str, message: Mapping[str, Any], *, may_be_empty: bool) -> None:
    content = message["content"]
    if not isinstance(content, str):
        must_be(f"{path}.content", content, list)
    if not content:
        if may_be_empty:
            return
        refuse(f"{path}: {message['role']} messages must have non-empty content")
    if isinstance(content, str):
        if not content.strip():
            refuse("messages: text content blocks must contain non-whitespace text")
        return
    for index, block in enumerate(content):
        _check_block(f"{path}.content.{index}", block, message["role"])


def _check_block(path: str, block: Any, role: str) -> None:
    must_be(path, block, dict)
    kind = block.get("type")
    if kind not in _BLOCKS:
        tags = ", ".join(f"'{tag}'" for tag in _BLOCKS)
        refuse(f"{path}: Input tag '{kind}' found using 'type' does not match any of the expected tags: {tags}")
    required, optional, roles = _BLOCKS[kind]
    if role not in roles:
        refuse(f"{path}: '{kind}' blocks are not permitted in '{role}' messages")
    must_have_only(path, block, required=required, optional=optional)
    if kind == "text":
        _check_text("messages", path, block)
    elif kind == "image":
        _check_image(path, block)
    elif kind == "thinking":
        must_be(f"{path}.thinking", block["thinking"], str)
        if block["signature"] != sign_thinking(block["thinking"]) and block["thinking"]:
            refuse(f"{path}: Invalid `signature` in `thinking` block")
    elif kind == "tool_use":
        must_be(f"{path}.input", block["input"], dict)
        must_be(f"{path}.name", block["name"], str)
    elif kind == "tool_result":
        _check_tool_result(path, block)
    check_cache_mark(path, block)


def _check_text(section: str, path: str, block: Mapping[str, Any]) -> None:
    must_be(f"{path}.text", block["text"], str)
    check_cache_mark(path, block)
    if not block["text"]:
        if block.get("cache_control"):
            refuse(f"{path}: cache_control cannot be set for empty text blocks")
        refuse(f"{section}: text content blocks must be non-empty")
    if not block["text"].strip():
        refuse(f"{section}: text content blocks must contain non-whitespace text")


def _check_image(path: str, block: Mapping[str, Any]) -> None:
    source = block["source"]
    must_be(f"{path}.source", source, dict)
    one_of(f"{path}.source.type", source.get("type"), ("base64", "url"))
    if source["type"] == "url":
        must_have_only(f"{path}.source", source, required=("type", "url"))
        return
    must_have_only(f"{path}.source", source, required=("type", "media_type", "data"))
    one_of(f"{path}.source.media_type", source["media_type"], ("image/jpeg", "image/png", "image/gif", "image/webp"))


def _check_tool_result(path: str, block: Mapping[str, Any]) -> None:
    content = block.get("content", "")
    if isinstance(content, str):
        return
    must_be(f"{path}.content", content, list)
    for index, inner in enumerate(content):
        must_be(f"{path}.content.{index}", inner, dict)
        one_of(f"{path}.content.{index}.type", inner.get("type"), ("text", "image"))
        _check_block(f"{path}.content.{index}", inner, "user")


def _check_tool_pairs(messages: Sequence[Mapping[str, Any]]) -> None:
    asked: list[str] = []
    for index, message in enumerate(messages):
        blocks = message["content"] if isinstance(message["content"], list) else []
        answered = [block["tool_use_id"] for block in blocks if block["type"] == "tool_result"]
        unknown = [name for name in answered if name not in asked]
        if unknown:
            refuse(f"messages.{index}: unexpected `tool_use_id` found in `tool_result` blocks: {', '.join(unknown)}")
        missing = [name for name in asked if name not in answered]
        if missing:
            refuse(
                f"messages.{index - 1}: `tool_use` ids were found without `tool_result` blocks immediately after: "
                f"{', '.join(missing)}"
            )
        asked = [block["id"] for block in blocks if block["type"] == "tool_use"]


def _check_prefill(last: Mapping[str, Any], rules: ModelRules, *, structured: bool) -> None:
    if last["role"] != "assistant":
        return
    if not rules.prefill:
        refuse("This model does not support assistant message prefill. The conversation must end with a user message.")
    if structured:
        refuse("messages: assistant message prefill is not supported together with output_config.format")
    content = last["content"]
    text = content if isinstance(content, str) else content[-1].get("text", "") if content else ""
    if text != text.rstrip():
        refuse("messages: final assistant content cannot end with trailing whitespace")
