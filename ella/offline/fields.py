"""
Shape checks shared by every rule: the right type, no missing field, no unknown one, in the provider's own words.
"""

from collections.abc import Collection, Mapping
from typing import Any

from ella.offline.errors import refuse

_EXPECTED = {
    str: "Input should be a valid string",
    int: "Input should be a valid integer",
    bool: "Input should be a valid boolean",
    list: "Input should be a valid list",
    dict: "Input should be an object",
}


def must_be(path: str, value: Any, kind: type) -> None:
    """Refuse a value of another type; True is not an integer here."""
    if not isinstance(value, kind) or (kind is int and isinstance(value, bool)):
        refuse(f"{path}: {_EXPECTED[kind]}")


def must_be_times(value: Any) -> None:
    """How often something a test asked for is to happen: once or more."""
    must_be("times", value, int)
    if value < 1:
        refuse("times: Input should be greater than or equal to 1")


def must_have_only(path: str, value: Any, *, required: Collection[str], optional: Collection[str] = ()) -> None:
    """Refuse anything but an object with every required field and no unknown one."""
    must_be(path, value, dict)
    prefix = f"{path}." if path else ""
    for name in required:
        if name not in value:
            refuse(f"{prefix}{name}: Field required")
    for name in value:
        if name not in required and name not in optional:
            refuse(f"{prefix}{name}: Extra inputs are not permitted")


def one_of(path: str, value: Any, choices: Collection[str]) -> None:
    if not isinstance(value, str) or value not in choices:
        listed = ", ".join(f"'{choice}'" for choice in choices)
        refuse(f"{path}: Input should be one of {listed}")


def check_cache_mark(path: str, block: Mapping[str, Any]) -> None:
    """`cache_control` on a block or at the top of a request: null, or ephemeral with a known life."""
    mark = block.get("cache_control")
    if mark is None:
        return
    where = f"{path}.cache_control" if path else "cache_control"
    must_have_only(where, mark, required=("type",), optional=("ttl",))
    one_of(f"{where}.type", mark["type"], ("ephemeral",))
    if "ttl" in mark:
        one_of(f"{where}.ttl", mark["ttl"], ("5m", "1h"))
