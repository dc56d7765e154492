"""
What was before her when she answered: the lines of the prompt with the rows they came from. For the person, whose own
data it is; rules and wording of the prompt stay out.
"""

from __future__ import annotations

from typing import Any
from uuid import UUID

from ella.context.sections import Priority, SourceKind
from ella.llm.models import ModelCall, Purpose
from ella.memory.models import ExtractionItem

_KINDS = {
    SourceKind.FACT: "facts",
    SourceKind.PROMISE: "promises",
    SourceKind.RELATIONSHIP: "relationships",
    SourceKind.THOUGHT: "thoughts",
    SourceKind.SCENE: "scene",
    SourceKind.MESSAGE: "passages",
}


def trace_of(*, owner_id: UUID, turn_id: UUID) -> dict[str, Any]:
    """
    `{turn, model_asked, facts, promises, relationships, thoughts, scene, passages, read}`, each item `{id, text,
    priority}` in the order the model read them; `read` is what was read out of the exchange afterwards, with its fate.
    """
    call = (
        ModelCall.objects.for_owner(owner_id)
        .for_turn(turn_id)
        .filter(purpose=Purpose.LIVE_REPLY)
        .only("section_map", "status")
        .order_by("-started_at")
        .first()
    )
    shown: dict[str, Any] = {
        "turn": str(turn_id),
        "model_asked": call is not None,
        **{name: [] for name in _KINDS.values()},
    }
    for section in call.section_map if call else []:
        if section["priority"] == Priority.RULES:
            continue
        for line in section["lines"]:
            for source in line["sources"]:
                if name := _KINDS.get(source["kind"]):
                    shown[name].append(
                        {"id": source["id"], "text": line["text"].removeprefix("- "), "priority": section["priority"]}
                    )
    items = ExtractionItem.objects.of_turn(turn_id)
    shown["read"] = [
        {"kind": item.kind, "proposed": item.proposed, "outcome": item.outcome, "reason": item.reason} for item in items
    ]
    return shown
