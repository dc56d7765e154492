"""
The house's own sentences, read from `texts.yaml` so that a person may edit them. Ella's words are not here; the model
or the boundary table has those.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path

import yaml

_FILE = Path(__file__).with_name("texts.yaml")


@cache
def _texts() -> dict[str, str]:
    return {str(key): str(value).strip() for key, value in yaml.safe_load(_FILE.read_text(encoding="utf-8")).items()}


def text(key: str) -> str:
    """The text under `key`. Raises KeyError naming the key when the file lacks it."""
    return _texts()[key]


def error_text(code: str) -> str:
    """What a person is told about a turn that failed with `code`."""
    return _texts().get(f"error.{code}", _texts()["error.turn_failed"])
