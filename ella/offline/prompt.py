"""
A request as the one row of blocks that the model reads: format, tools, system, messages.

Counting, caching and the rules about cache marks all walk this row, so they can never disagree about what comes
before what.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ella.offline.tokens import count_block

TTL_SECONDS = {"5m": 300, "1h": 3600}
_NEVER_MARKED = {"thinking", "redacted_thinking"}


@dataclass(frozen=True, slots=True)
class PromptBlock:
    """
    One block: where it stands (`path` as the provider names it), its content without the mark, the mark's life if it
    has one.
    """

    path: str
    section: str
    role: str
    content: Mapping[str, Any]
    tokens: int
    ttl: str | None

    @property
    def may_be_marked(self) -> bool:
        return self.section != "format" and self.content.get("type") not in _NEVER_MARKED


def flatten(request: Mapping[str, Any]) -> list[PromptBlock]:
    """Every block of the request in prompt order, with the automatic mark of a top-level `cache_control` applied."""
    blocks: list[PromptBlock] = []
    output_format = (request.get("output_config") or {}).get("format")
    if output_format:
        # The provider turns a schema into instructions ahead of everything else; that is why a new schema empties
        # the cache.
        blocks.append(_block("output_config.format", "format", "", output_format))
    for index, tool in enumerate(request.get("tools") or ()):
        blocks.append(_block(f"tools.{index}", "tools", "", tool))
    for path, block in _content_blocks("system", request.get("system")):
        blocks.append(_block(path, "system", "system", block))
    for index, message in enumerate(request.get("messages") or ()):
        for path, block in _content_blocks(f"messages.{index}.content", message["content"]):
            blocks.append(_block(path, "messages", message["role"], block))
    return _with_automatic_mark(blocks, request.get("cache_control"))


def _content_blocks(path: str, content: Any) -> list[tuple[str, Mapping[str, Any]]]:
    if not content:
        return []
    if isinstance(content, str):
        return [(path, {"type": "text", "text": content})]
    return [(f"{path}.{index}", block) for index, block in enumerate(content)]


def _block(path: str, section: str, role: str, content: Mapping[str, Any]) -> PromptBlock:
    mark = content.get("cache_control")
    ttl = (mark.get("ttl") or "5m") if mark else None
    bare = {key: value for key, value in content.items() if key != "cache_control"} if mark else content
    return PromptBlock(path=path, section=section, role=role, content=bare, tokens=count_block(bare), ttl=ttl)


def _with_automatic_mark(blocks: list[PromptBlock], mark: Mapping[str, Any] | None) -> list[PromptBlock]:
    if not mark:
        return blocks
    for index in range(len(blocks) - 1, -1, -1):
        block = blocks[index]
        if block.may_be_marked:
            if block.ttl is None:
                ttl = mark.get("ttl") or "5m"
                blocks[index] = PromptBlock(block.path, block.section, block.role, block.content, block.tokens, ttl)
            break
    return blocks
