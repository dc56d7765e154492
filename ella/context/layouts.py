"""
Where the compiled sections stand in a request, so that what never changes comes first and what is most authoritative
comes last.

`mid_conversation`: rules ▸ person card in `system`, the chat as real messages, the new message, and one closing
`system` message with everything volatile.
`system_tail`: for models that refuse a system message after a user turn; everything in `system`, the same order, then
the message alone.
A cache breakpoint follows each stretch that stays byte-identical from turn to turn. Nothing here decides what is
shown; that is the compiler.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from ella.context.compiler import CompiledPrompt, excerpt_line, stamp
from ella.context.sections import Line, Priority, Section, Source, SourceKind, Speaker, Utterance
from ella.llm.models import Layout
from ella.llm.tokens import estimate_tokens

_CACHE = {"type": "ephemeral"}


@dataclass(frozen=True, slots=True)
class PlacedPrompt:
    """`system` and `messages` as the provider takes them, and the section map in the order the model reads them."""

    layout: Layout
    system: list[dict[str, Any]]
    messages: list[dict[str, Any]]
    section_map: list[dict[str, Any]]
    left_out: list[dict[str, Any]]


def place(prompt: CompiledPrompt, layout: Layout) -> PlacedPrompt:
    """The request's `system` and `messages` for one layout."""
    if layout is Layout.MID_CONVERSATION:
        return _mid_conversation(prompt)
    return _system_tail(prompt)


def _mid_conversation(prompt: CompiledPrompt) -> PlacedPrompt:
    carried = _quoted_chat("latest_exchange", "[LATEST EXCHANGE]", Priority.P1, prompt.carried, prompt.person_name)
    closing = [section for section in (prompt.snapshot, prompt.thoughts, carried, prompt.scene) if section.lines]
    messages = [_as_message(utterance) for utterance in prompt.recent_chat]
    if messages:
        messages[-1]["content"][-1]["cache_control"] = _CACHE
    messages.append(_as_message(prompt.message))
    messages.append({"role": "system", "content": [{"type": "text", "text": _joined(closing)}]})
    older, latest = _split_latest(prompt.recent_chat)
    sections = [
        *_in_system(prompt),
        _mapped(_replayed("recent_chat", Priority.P4, older), "messages"),
        _mapped(_replayed("latest_exchange", Priority.P1, latest), "messages"),
        _mapped(_replayed("latest_input", Priority.P0, (prompt.message,)), "messages"),
        *(_mapped(section, "messages") for section in closing),
    ]
    return _placed(Layout.MID_CONVERSATION, prompt, _stable_system(prompt), messages, sections)


def _system_tail(prompt: CompiledPrompt) -> PlacedPrompt:
    older, latest = _split_latest(prompt.recent_chat)
    chat = _quoted_chat("recent_chat", "[RECENT CHAT]", Priority.P4, older, prompt.person_name)
    exchange = _quoted_chat(
        "latest_exchange", "[LATEST EXCHANGE]", Priority.P1, (*prompt.carried, *latest), prompt.person_name
    )
    volatile = [
        section for section in (chat, prompt.snapshot, prompt.thoughts, exchange, prompt.scene) if section.lines
    ]
    system = _stable_system(prompt)
    system.append({"type": "text", "text": _joined(volatile)})
    sections = [
        *_in_system(prompt),
        *(_mapped(section, "system") for section in volatile),
        _mapped(_replayed("latest_input", Priority.P0, (prompt.message,)), "messages"),
    ]
    return _placed(Layout.SYSTEM_TAIL, prompt, system, [_as_message(prompt.message)], sections)


def _placed(
    layout: Layout,
    prompt: CompiledPrompt,
    system: list[dict[str, Any]],
    messages: list[dict[str, Any]],
    sections: list[dict[str, Any]],
) -> PlacedPrompt:
    left_out = [{**asdict(item), "sources": _sources(item.sources)} for item in prompt.left_out]
    return PlacedPrompt(layout, system, messages, [section for section in sections if section["lines"]], left_out)


def _stable_system(prompt: CompiledPrompt) -> list[dict[str, Any]]:
    return [
        {"type": "text", "text": section.text, "cache_control": _CACHE} for section in (prompt.rules, prompt.person)
    ]


def _in_system(prompt: CompiledPrompt) -> list[dict[str, Any]]:
    return [_mapped(prompt.rules, "system"), _mapped(prompt.person, "system")]


def _split_latest(chat: Sequence[Utterance]) -> tuple[tuple[Utterance, ...], tuple[Utterance, ...]]:
    if len(chat) > 1 and chat[-1].speaker is Speaker.ELLA and chat[-2].speaker is Speaker.PERSON:
        return tuple(chat[:-2]), tuple(chat[-2:])
    return tuple(chat[:-1]), tuple(chat[-1:])


def _text_of(utterance: Utterance) -> str:
    """
    What a person wrote carries when they wrote it; her own lines do not, or she would begin to write dates herself.
    """
    return f"({stamp(utterance.at)}) {utterance.text}" if utterance.speaker is Speaker.PERSON else utterance.text


def _as_message(utterance: Utterance) -> dict[str, Any]:
    role = "user" if utterance.speaker is Speaker.PERSON else "assistant"
    return {"role": role, "content": [{"type": "text", "text": _text_of(utterance)}]}


def _replayed(key: str, priority: Priority, utterances: Sequence[Utterance]) -> Section:
    lines = tuple(Line(_text_of(utterance), (Source(SourceKind.MESSAGE, utterance.id),)) for utterance in utterances)
    return Section(key, "", priority, lines)


def _quoted_chat(
    key: str, label: str, priority: Priority, utterances: Sequence[Utterance], person_name: str
) -> Section:
    return Section(key, label, priority, tuple(excerpt_line(utterance, person_name) for utterance in utterances))


def _joined(sections: Sequence[Section]) -> str:
    return "\n\n".join(section.text for section in sections)


def _sources(sources: Sequence[Source]) -> list[dict[str, str]]:
    return [{"kind": source.kind.value, "id": source.id} for source in sources]


def _mapped(section: Section, where: str) -> dict[str, Any]:
    return {
        "key": section.key,
        "label": section.label,
        "priority": section.priority.value,
        "where": where,
        "tokens": estimate_tokens(section.text),
        "lines": [{"text": line.text, "sources": _sources(line.sources)} for line in section.lines],
    }
