"""
How many tokens a text counts for: an estimate, never the provider's tokenizer.

Four bytes of UTF-8 make one token. Real text of the newer models runs from three to four and a half bytes a token,
so a total is good to about a quarter either way; what is exact is that `count_tokens`, `usage` and the cache
minimum all use this one rule, so their sums agree with each other.
"""

import json
from collections.abc import Mapping
from typing import Any

BYTES_PER_TOKEN = 4
# An image is billed by its size on screen; without decoding it, the provider's figure for a large one stands.
IMAGE_TOKENS = 1_600


def count_text(text: str) -> int:
    """Tokens of a text, at least one."""
    return max(1, -(-len(text.encode("utf-8", "surrogatepass")) // BYTES_PER_TOKEN))


def count_block(block: Mapping[str, Any]) -> int:
    """Tokens of one content block, tool definition or schema; cache marks and signatures weigh nothing."""
    kind = block.get("type")
    if kind == "text":
        return count_text(block["text"])
    if kind == "thinking":
        return count_text(block["thinking"])
    if kind == "image":
        return IMAGE_TOKENS
    return count_text(json.dumps({k: v for k, v in block.items() if k != "cache_control"}, ensure_ascii=False))


def cut_to_tokens(text: str, limit: int) -> str:
    """The longest beginning of the text that counts for no more than `limit` tokens; never half a character."""
    return text.encode("utf-8", "surrogatepass")[: limit * BYTES_PER_TOKEN].decode("utf-8", "ignore")
