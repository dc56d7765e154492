"""
A turn as clients are told of it: the body of `POST …/messages`, of `GET turns/{id}`, and of the events `turn`, `done`
and `error`. Reads only.
"""

from __future__ import annotations

from typing import Any
from uuid import UUID

from boundary.models import BoundaryFire
from ella.conversation.models import Disclosure, Message, Turn
from ella.conversation.texts import error_text

_BUSY = "conversation_busy"


def opened_as_data(turn_id: UUID) -> dict[str, Any]:
    """`{turn, message, disclosure}`: told before anything is asked, so that a client knows its message is kept."""
    turn = _turn(turn_id)
    return {
        "turn": turn_as_data(turn),
        "message": _message_as_data(turn, Message.Role.PERSON),
        "disclosure": _disclosure_as_data(turn),
    }


def result_as_data(turn_id: UUID) -> dict[str, Any]:
    """
    `{turn, message, reply, boundary, disclosure}`; for a turn that is not answered, the error in the API's one shape
    with the turn beside it.
    """
    turn = _turn(turn_id)
    if turn.status != Turn.Status.DONE:
        code = turn.error_code or _BUSY
        return {
            "type": "server_error",
            "errors": [{"code": code, "detail": error_text(code), "attr": None}],
            "turn": str(turn.pk),
        }
    return _whole(turn)


def state_as_data(turn_id: UUID) -> dict[str, Any]:
    """How a turn stands now, answered or not."""
    return _whole(_turn(turn_id))


def _whole(turn: Turn) -> dict[str, Any]:
    return {
        "turn": turn_as_data(turn),
        "message": _message_as_data(turn, Message.Role.PERSON),
        "reply": _message_as_data(turn, Message.Role.ELLA),
        "boundary": boundary_as_data(turn),
        "disclosure": _disclosure_as_data(turn),
    }


def turn_as_data(turn: Turn) -> dict[str, Any]:
    return {
        "id": str(turn.pk),
        "conversation": str(turn.conversation_id),
        "client_id": turn.client_id,
        "status": turn.status,
        "outcome": turn.outcome or None,
        "truncated": turn.truncated,
        "error": {"code": turn.error_code, "detail": error_text(turn.error_code)} if turn.error_code else None,
        "memory": turn.extraction.status if hasattr(turn, "extraction") else None,
        "created_at": turn.created_at.isoformat(),
        "settled_at": turn.settled_at.isoformat() if turn.settled_at else None,
    }


def boundary_as_data(turn: Turn) -> dict[str, Any]:
    """
    What the boundary said of this turn; `category` is `ok` when it said nothing. The hard verdict, if any, stands
    before a soft one.
    """
    fires = (
        BoundaryFire.objects.for_owner(turn.conversation.owner_id)
        .filter(turn_id=turn.pk)
        .order_by("soft", "created_at")
    )
    fire = fires.first()
    if fire is None:
        return {"category": "ok", "direction": None, "fired": False, "soft": False}
    return {"category": fire.category, "direction": fire.direction, "fired": not fire.soft, "soft": fire.soft}


def _turn(turn_id: UUID) -> Turn:
    return (
        Turn.objects.select_related("conversation", "disclosure", "extraction")
        .prefetch_related("messages")
        .get(pk=turn_id)
    )


def _message_as_data(turn: Turn, role: Message.Role) -> dict[str, Any] | None:
    for message in turn.messages.all():
        if message.role == role:
            return {
                "id": str(message.pk),
                "role": message.role,
                "text": message.text,
                "created_at": message.created_at.isoformat(),
            }
    return None


def _disclosure_as_data(turn: Turn) -> dict[str, Any] | None:
    disclosure: Disclosure | None = getattr(turn, "disclosure", None)
    return (
        {"reason": disclosure.reason, "text": disclosure.text, "at": disclosure.at.isoformat()} if disclosure else None
    )
