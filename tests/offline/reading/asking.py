"""Requests as the compiler places them, and an exchange as `remember` shows it: what the reader is asked."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from typing import Any

from ella.context.compiler import compile_prompt
from ella.context.layouts import place
from ella.context.sections import Line, PromptInputs, Speaker, Utterance
from ella.llm.models import Layout
from ella.memory.schemas import ExchangeReading
from ella.offline.reading.answer import answer

NOW = datetime(2026, 12, 1, 14, 5, tzinfo=UTC)  # a Tuesday
RULES = "You are Ella.\n\n2. [SCENE STATE]: where things are. 4. [CHARACTER / WORLD SNAPSHOT]: what is so."
WORLD = (
    "- [canon] ellahome.exterior.door · colour = «red»",
    "- [canon] companion · species = «tabby cat»",
    "- [canon] companion · name = «Biscuit»",
    "- [canon] companion · age = «3 years»",
    "- [canon] world.village · name = «Skarvik»",
)


def request(
    message: str,
    *,
    layout: Layout = Layout.MID_CONVERSATION,
    name: str = "Ana",
    facts: tuple[str, ...] = WORLD,
    scene: tuple[str, ...] = (),
    promises: tuple[str, ...] = (),
    relationships: tuple[str, ...] = (),
    thoughts: tuple[str, ...] = (),
    care: tuple[str, ...] = (),
    history: tuple[str, ...] = (),
) -> dict[str, Any]:
    """The body the gateway would send; `history` alternates between the person and Ella."""
    spoken = [_said(position, text) for position, text in enumerate(history, start=1)]
    inputs = PromptInputs(
        rules=RULES,
        person_card=(Line(f"Name: «{name}»"), Line("Language: «en»"), Line("Time zone: «Europe/Lisbon»")),
        person_name=name,
        now=NOW,
        message=_said(len(spoken) + 1, message),
        history=tuple(spoken),
        scene=_lines(scene),
        promises=_lines(promises),
        relationships=_lines(relationships),
        facts=_lines(facts),
        thoughts=_lines(thoughts),
        care=_lines(care),
    )
    placed = place(compile_prompt(inputs), layout)
    return {"model": "m", "max_tokens": 500, "system": placed.system, "messages": placed.messages}


def reply(message: str, **given: Any) -> str:
    return answer(request(message, **given))


def reading(person: str, ella: str = "", **given: Any) -> ExchangeReading:
    """What the stand-in reads from one exchange, validated as the server validates it."""
    document = {
        "exchange": [
            {"who": "person", "name": "Ana", "at": "2026-12-01 Tue 14:05", "text": person},
            {"who": "ella", "name": "Ella", "at": "2026-12-01 Tue 14:05", "text": ella},
        ],
        "scene": [],
        "open_promises": [],
        "known": [],
        **given,
    }
    return ExchangeReading.model_validate_json(answer(structured(json.dumps(document))))


def structured(text: str, schema: dict[str, Any] | None = None) -> dict[str, Any]:
    return {
        "model": "m",
        "max_tokens": 500,
        "system": [{"type": "text", "text": "You keep the notebook."}],
        "messages": [{"role": "user", "content": text}],
        "output_config": {"format": {"type": "json_schema", "schema": schema or ExchangeReading.model_json_schema()}},
    }


def facts(person: str, **given: Any) -> set[str]:
    """The facts read from a person's message, each in one line."""
    return {
        f"{fact.subject} · {fact.predicate} = {fact.object}" + (f" · {fact.when_words}" if fact.when_words else "")
        for fact in reading(person, **given).facts
    }


def scene(person: str, ella: str = "", **given: Any) -> dict[str, str]:
    return {item.thing: item.state for item in reading(person, ella, **given).scene}


def _said(position: int, text: str) -> Utterance:
    speaker = Speaker.PERSON if position % 2 else Speaker.ELLA
    return Utterance(f"m{position}", speaker, text, NOW - timedelta(minutes=60 - position), position)


def _lines(texts: tuple[str, ...]) -> tuple[Line, ...]:
    return tuple(Line(text) for text in texts)
