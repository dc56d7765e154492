"""
From the turn at hand to a request that may be sent: gather what the prompt may use, compile it, place it, reserve its
budget and write the call down, payload and all, before anything goes over the wire.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any
from uuid import UUID

from boundary.classify import Verdict
from ella.context.compiler import compile_prompt
from ella.context.gathering import gather
from ella.context.layouts import place
from ella.conversation.at_hand import TurnAtHand
from ella.llm.calls import begin_call, fail_call
from ella.llm.errors import LayoutNotAccepted
from ella.llm.gateway import build_request
from ella.llm.limits import layout_for, remember_limit
from ella.llm.models import Purpose
from ella.llm.purposes import purpose_config


@dataclass(frozen=True, slots=True)
class PreparedPrompt:
    """A call written down and paid for in advance, ready to be sent as `payload`."""

    call_id: UUID
    payload: dict[str, Any]


def compile(
    turn: TurnAtHand, inbound: Verdict, *, instead_of: tuple[UUID, LayoutNotAccepted] | None = None
) -> PreparedPrompt:
    """
    The prompt of one turn, in the layout its model accepts, with its `ModelCall` row.

    `instead_of` names the call whose layout the model refused: that is remembered, and this one is placed the other
    way. Raises BudgetExceeded.
    """
    model = purpose_config(Purpose.LIVE_REPLY).model
    if instead_of is not None:
        refused_call, refusal = instead_of
        remember_limit(model=model, error=refusal)
        fail_call(call_id=refused_call, error=refusal, outcome=None)
    prompt = place(compile_prompt(gather(turn, inbound)), layout_for(model))
    payload = build_request(Purpose.LIVE_REPLY, system=prompt.system, messages=prompt.messages)
    call = begin_call(
        purpose=Purpose.LIVE_REPLY,
        owner_id=turn.owner_id,
        turn_id=turn.turn_id,
        payload=payload,
        section_map=prompt.section_map,
        left_out=prompt.left_out,
        layout=prompt.layout,
    )
    return PreparedPrompt(call.pk, payload)
