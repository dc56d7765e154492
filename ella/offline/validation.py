"""
Is this request one the provider would take? Headers, fields, sizes, and what the named model allows.

As strict as the provider, so that what passes here passes there; each refusal is a 400 (401, 404, 413 where the
provider says so) and nothing else happens. It must never repair a request.
"""

import re
from collections.abc import Mapping
from typing import Any

from ella.offline.errors import ErrorType, ProviderError, refuse
from ella.offline.fields import check_cache_mark, must_be, must_have_only, one_of
from ella.offline.models import EFFORTS, ModelRules, rules_for
from ella.offline.prompt import PromptBlock, flatten
from ella.offline.schema_rules import check_schema
from ella.offline.turns import check_messages, check_system

KNOWN_VERSIONS = ("2023-06-01", "2026-10-21")
MAX_CACHE_MARKS = 4
MIN_THINKING_BUDGET = 1_024

_COUNTED_FIELDS = (
    "cache_control",
    "output_config",
    "speed",
    "system",
    "thinking",
    "tool_choice",
    "tools",
)
_CREATE_FIELDS = (
    *_COUNTED_FIELDS,
    "container",
    "diagnostics",
    "inference_geo",
    "metadata",
    "service_tier",
    "stop_sequences",
    "stream",
)
# Fields the provider takes and the stand-in has nothing behind: refusing them is honest, ignoring them would not be.
_NOT_OFFERED = ("container", "diagnostics", "inference_geo")
_TOOL_NAME = re.compile(r"[a-zA-Z0-9_-]{1,128}")


def check_headers(headers: Mapping[str, str]) -> str:
    """Return the credential; refuse a request without one (401) or without a known `anthropic-version` (400)."""
    scheme, _, token = headers.get("authorization", "").partition(" ")
    credential = headers.get("x-api-key") or (token.strip() if scheme.lower() == "bearer" else "")
    if not credential:
        raise ProviderError(ErrorType.AUTHENTICATION, "x-api-key header is required")
    version = headers.get("anthropic-version")
    if not version:
        refuse("anthropic-version: header is required")
    if version not in KNOWN_VERSIONS:
        refuse(f'anthropic-version: "{version}" is not a valid version. Use one of: {", ".join(KNOWN_VERSIONS)}')
    return credential


def check_create(body: Any) -> tuple[ModelRules, list[PromptBlock]]:
    """Refuse what `POST /v1/messages` would refuse; return the model's rules and the prompt as blocks."""
    must_have_only("", body, required=("model", "max_tokens", "messages"), optional=_CREATE_FIELDS)
    rules = _model(body["model"])
    _check_max_tokens(body["max_tokens"], rules)
    _check_plain_fields(body)
    blocks = _check_prompt(body, rules)
    _check_room(sum(block.tokens for block in blocks), rules)
    return rules, blocks


def check_count(body: Any) -> list[PromptBlock]:
    """Refuse what `POST /v1/messages/count_tokens` would refuse; return the prompt as blocks."""
    must_have_only("", body, required=("model", "messages"), optional=_COUNTED_FIELDS)
    return _check_prompt(body, _model(body["model"]))


def _check_prompt(body: Mapping[str, Any], rules: ModelRules) -> list[PromptBlock]:
    output_config = body.get("output_config") or {}
    _check_output_config(output_config, rules)
    if "system" in body:
        check_system(body["system"])
    check_messages(body["messages"], rules, structured=bool(output_config.get("format")))
    _check_tools(body)
    _check_thinking(body, rules)
    _check_tool_choice(body, rules)
    if body.get("speed") not in (None, "standard"):
        refuse("speed: fast mode is not offered by the stand-in")
    check_cache_mark("", body)
    blocks = flatten(body)
    _check_cache_marks(blocks)
    return blocks


def _model(name: Any) -> ModelRules:
    must_be("model", name, str)
    rules = rules_for(name)
    if rules is None:
        raise ProviderError(ErrorType.NOT_FOUND, f"model: {name}")
    return rules


def _check_max_tokens(value: Any, rules: ModelRules) -> None:
    must_be("max_tokens", value, int)
    if value < 0:
        refuse("max_tokens: Input should be greater than or equal to 0")
    if value > rules.max_output_tokens:
        refuse(
            f"max_tokens: {value} > {rules.max_output_tokens}, "
            f"which is the maximum allowed number of output tokens for {rules.id}"
        )


def _check_plain_fields(body: Mapping[str, Any]) -> None:
    if "stream" in body:
        must_be("stream", body["stream"], bool)
    for name in _NOT_OFFERED:
        if body.get(name) is not None:
            refuse(f"{name}: not offered by the stand-in")
    if "service_tier" in body:
        one_of("service_tier", body["service_tier"], ("auto", "standard_only"))
    sequences = body.get("stop_sequences", [])
    must_be("stop_sequences", sequences, list)
    for index, sequence in enumerate(sequences):
        must_be(f"stop_sequences.{index}", sequence, str)
        if not sequence.strip():
            refuse("stop_sequences: each stop sequence must contain non-whitespace")
    metadata = body.get("metadata", {})
    must_have_only("metadata", metadata, required=(), optional=("user_id",))
    user_id = metadata.get("user_id")
    if user_id is not None:
        must_be("metadata.user_id", user_id, str)
        if len(user_id) > 256:
            refuse("metadata.user_id: String should have at most 256 characters")
        if "@" in user_id:
            refuse("metadata.user_id: user_id appears to contain an email address")


def _check_output_config(output_config: Any, rules: ModelRules) -> None:
    must_have_only("output_config", output_config, required=(), optional=("effort", "format"))
    effort = output_config.get("effort")
    if effort is not None:
        one_of("output_config.effort", effort, EFFORTS)
        if effort not in rules.efforts:
            refuse("This model does not support the effort parameter.")
    output_format = output_config.get("format")
    if output_format is not None:
        must_have_only("output_config.format", output_format, required=("type", "schema"))
        one_of("output_config.format.type", output_format["type"], ("json_schema",))
        check_schema("output_config.format.schema", output_format["schema"])


def _check_tools(body: Mapping[str, Any]) -> None:
    tools = body.get("tools", [])
    must_be("tools", tools, list)
    names: set[str] = set()
    for index, tool in enumerate(tools):
        path = f"tools.{index}"
        must_be(path, tool, dict)
        if tool.get("type") not in (None, "custom"):
            refuse(f"{path}: the stand-in offers custom tools only, not '{tool['type']}'")
        must_have_only(
            path,
            tool,
            required=("name", "input_schema"),
            optional=("type", "description", "cache_control", "strict", "input_examples", "eager_input_streaming"),
        )
        if not isinstance(tool["name"], str) or not _TOOL_NAME.fullmatch(tool["name"]):
            refuse(f"{path}.name: String should match pattern '^[a-zA-Z0-9_-]{{1,128}}$'")
        if tool["name"] in names:
            refuse("tools: Tool names must be unique.")
        names.add(tool["name"])
        must_be(f"{path}.input_schema", tool["input_schema"], dict)
        if tool["input_schema"].get("type") != "object":
            refuse(f"{path}.input_schema.type: Input should be 'object'")
        if tool.get("strict"):
            check_schema(f"{path}.input_schema", tool["input_schema"])
        check_cache_mark(path, tool)


def _check_thinking(body: Mapping[str, Any], rules: ModelRules) -> None:
    if "thinking" not in body:
        return
    thinking = body["thinking"]
    must_be("thinking", thinking, dict)
    kind = thinking.get("type")
    one_of("thinking.type", kind, ("enabled", "disabled", "adaptive", "between_tools"))
    optional = ("display",) if kind in ("enabled", "adaptive") else ()
    required = ("type", "budget_tokens") if kind == "enabled" else ("type",)
    must_have_only("thinking", thinking, required=required, optional=optional)
    if thinking.get("display") is not None:
        one_of("thinking.display", thinking["display"], ("summarized", "omitted"))
    if kind not in rules.thinking:
        if kind == "adaptive":
            refuse("adaptive thinking is not supported on this model")
        refuse(
            f"thinking.type: '{kind}' is not supported on {rules.id}; use one of: {', '.join(sorted(rules.thinking))}"
        )
    if kind == "enabled":
        _check_budget(thinking["budget_tokens"], body)
    effort = (body.get("output_config") or {}).get("effort")
    if kind in ("disabled", "between_tools") and effort in ("xhigh", "max"):
        refuse(f"output_config.effort: '{effort}' needs thinking; it cannot be combined with thinking.type '{kind}'")
    if kind in ("enabled", "adaptive") and body["messages"][-1]["role"] == "assistant":
        refuse("messages: an assistant message prefill cannot be combined with thinking")


def _check_budget(budget: Any, body: Mapping[str, Any]) -> None:
    must_be("thinking.budget_tokens", budget, int)
    if budget < MIN_THINKING_BUDGET:
        refuse(f"thinking.enabled.budget_tokens: Input should be greater than or equal to {MIN_THINKING_BUDGET}")
    if "max_tokens" in body and budget >= body["max_tokens"]:
        refuse("`max_tokens` must be greater than `thinking.budget_tokens`.")


def _check_tool_choice(body: Mapping[str, Any], rules: ModelRules) -> None:
    choice = body.get("tool_choice")
    if choice is None:
        return
    must_be("tool_choice", choice, dict)
    kind = choice.get("type")
    one_of("tool_choice.type", kind, ("auto", "any", "tool", "none"))
    required = ("type", "name") if kind == "tool" else ("type",)
    optional = () if kind == "none" else ("disable_parallel_tool_use",)
    must_have_only("tool_choice", choice, required=required, optional=optional)
    if not body.get("tools"):
        refuse("tool_choice may only be specified while providing tools.")
    if kind not in ("any", "tool"):
        return
    if not rules.forced_tools:
        refuse(f"tool_choice.type: '{kind}' is not supported on {rules.id}, which does not take forced tool use")
    if (body.get("thinking") or {}).get("type") in ("enabled", "adaptive"):
        refuse("Thinking may not be enabled when tool_choice forces tool use.")
    if kind == "tool" and choice["name"] not in [tool["name"] for tool in body["tools"]]:
        refuse(f"Tool '{choice['name']}' not found in provided tools")


def _check_cache_marks(blocks: list[PromptBlock]) -> None:
    marked = [block for block in blocks if block.ttl]
    if len(marked) > MAX_CACHE_MARKS:
        refuse(f"A maximum of {MAX_CACHE_MARKS} blocks with cache_control may be provided. Found {len(marked)}.")
    short_seen = False
    for block in marked:
        if block.ttl == "1h" and short_seen:
            refuse(
                f"{block.path}.cache_control.ttl: a ttl='1h' cache_control block must not come after a ttl='5m' "
                "cache_control block. Note that blocks are processed in the following order: `tools`, `system`, "
                "`messages`."
            )
        short_seen = short_seen or block.ttl == "5m"


def _check_room(input_tokens: int, rules: ModelRules) -> None:
    # Only the prompt is refused here; a reply that meets the end of the window stops there, with a stop_reason of
    # its own.
    if input_tokens > rules.context_tokens:
        refuse(f"prompt is too long: {input_tokens} tokens > {rules.context_tokens} maximum")
