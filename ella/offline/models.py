"""
What each model accepts, as the stand-in enforces it.

Kept apart from the gateway's own capability table on purpose: the stand-in is the judge, so it must never read the
answers of the one it judges. Source: the provider's model pages and API errors as published up to November 2026;
SDK 2.14.0 `ThinkingTypes` and `ModelInfo`.
"""

from dataclasses import dataclass
from typing import Any

EFFORTS = ("low", "medium", "high", "xhigh", "max")


@dataclass(frozen=True, slots=True)
class ModelRules:
    """
    One model: sizes in tokens; `thinking` holds the accepted `thinking.type` values, `efforts` the accepted levels.
    """

    id: str
    display_name: str
    line: str
    created_at: str
    context_tokens: int
    max_output_tokens: int
    min_cacheable_tokens: int
    system_in_messages: bool
    thinking: frozenset[str]
    efforts: tuple[str, ...]
    forced_tools: bool
    prefill: bool
    shows_thinking: bool
    """Whether `thinking.display` defaults to `summarized` (older models) instead of `omitted`."""

    def as_json(self) -> dict[str, Any]:
        """
        The `ModelInfo` the SDK reads from `GET /v1/models`; what the stand-in cannot do is told as not supported.
        """
        return {
            "type": "model",
            "id": self.id,
            "display_name": self.display_name,
            "line": self.line,
            "created_at": self.created_at,
            "deprecated_at": None,
            "retires_at": None,
            "lifecycle": "active",
            "max_input_tokens": self.context_tokens,
            "max_tokens": self.max_output_tokens,
            "capabilities": {
                "batch": _supported(True),
                "citations": _supported(False),
                "code_execution": _supported(False),
                "context_management": {"supported": False},
                "effort": {"supported": bool(self.efforts)}
                | {level: _supported(level in self.efforts) for level in EFFORTS},
                "image_input": _supported(True),
                "pdf_input": _supported(False),
                "server_tools": {
                    "supported": False,
                    "code_execution": _supported(False),
                    "web_search": _supported(False),
                },
                "structured_outputs": _supported(True),
                "thinking": {
                    "supported": True,
                    "types": {
                        kind: _supported(kind in self.thinking)
                        for kind in ("adaptive", "between_tools", "disabled", "enabled")
                    },
                },
            },
        }


def _supported(value: bool) -> dict[str, bool]:
    return {"supported": value}


_MODELS = (
    ModelRules(
        id="claude-opus-5-5",
        display_name="Claude Opus 5.5",
        line="opus",
        created_at="2026-09-01T00:00:00Z",
        context_tokens=1_000_000,
        max_output_tokens=128_000,
        min_cacheable_tokens=512,
        system_in_messages=True,
        thinking=frozenset({"adaptive"}),
        efforts=EFFORTS,
        forced_tools=False,
        prefill=False,
        shows_thinking=False,
    ),
    ModelRules(
        id="claude-sonnet-5-5",
        display_name="Claude Sonnet 5.5",
        line="sonnet",
        created_at="2026-09-28T00:00:00Z",
        context_tokens=1_000_000,
        max_output_tokens=128_000,
        min_cacheable_tokens=512,
        system_in_messages=True,
        thinking=frozenset({"adaptive", "between_tools"}),
        efforts=EFFORTS,
        forced_tools=False,
        prefill=False,
        shows_thinking=False,
    ),
    ModelRules(
        id="claude-haiku-5-5",
        display_name="Claude Haiku 5.5",
        line="haiku",
        created_at="2026-10-15T00:00:00Z",
        context_tokens=1_000_000,
        max_output_tokens=128_000,
        min_cacheable_tokens=512,
        system_in_messages=True,
        thinking=frozenset({"adaptive", "disabled"}),
        efforts=EFFORTS,
        forced_tools=True,
        prefill=False,
        shows_thinking=False,
    ),
    ModelRules(
        id="claude-haiku-4-5",
        display_name="Claude Haiku 4.5",
        line="haiku",
        created_at="2025-10-01T00:00:00Z",
        context_tokens=200_000,
        max_output_tokens=64_000,
        min_cacheable_tokens=4_096,
        system_in_messages=False,
        thinking=frozenset({"enabled", "disabled"}),
        efforts=(),
        forced_tools=True,
        prefill=True,
        shows_thinking=True,
    ),
)
_DATED_NAMES = {"claude-haiku-4-5-20251001": "claude-haiku-4-5"}

MODELS = {model.id: model for model in _MODELS}


def rules_for(name: str) -> ModelRules | None:
    """The rules of a model id or of its dated alias; None when the provider knows no such model."""
    return MODELS.get(_DATED_NAMES.get(name, name))
