"""
When a person must be told again that Ella is not a human. The server decides and keeps a row; a client only shows it.

The rule is the strictest common one of the companion-chatbot laws: at the beginning of an interaction, at most once a
day needed, and after every three hours of continuing use (New York GBL art. 47; California SB 243; EU AI Act art.
50).
"""

from __future__ import annotations

from datetime import datetime, timedelta
from uuid import UUID

from ella.conversation.models import Disclosure, Message, Turn
from ella.conversation.texts import text

ONCE_A_DAY = timedelta(hours=24)
CONTINUING_USE = timedelta(hours=3)
# A pause longer than this ends an interaction; what comes after it begins a new one.
PAUSE = timedelta(hours=1)


def due(*, owner_id: UUID, now: datetime) -> Disclosure.Reason | None:
    """Why a disclosure is due at `now`, or None. Two short indexed reads: the newest one, the last hours of talk."""
    last = Disclosure.objects.for_owner(owner_id).order_by("-at").values_list("at", flat=True).first()
    if last is None or now - last >= ONCE_A_DAY:
        return Disclosure.Reason.INTERACTION_BEGINS
    if now - last >= CONTINUING_USE and _in_use_since(owner_id, now) <= now - CONTINUING_USE:
        return Disclosure.Reason.CONTINUING_USE
    return None


def _in_use_since(owner_id: UUID, now: datetime) -> datetime:
    """When this interaction began, looking back no further than the rule needs: messages without a pause between."""
    began = now
    recent = Message.objects.for_owner(owner_id).filter(
        created_at__gt=now - CONTINUING_USE - PAUSE, created_at__lte=now
    )
    for at in recent.order_by("-created_at").values_list("created_at", flat=True).iterator():
        if began - at > PAUSE or now - began >= CONTINUING_USE:
            break
        began = at
    return began


def disclose_if_due(*, owner_id: UUID, turn: Turn, now: datetime) -> Disclosure | None:
    """Write the row when one is due. Call inside the transaction that opens the turn."""
    reason = due(owner_id=owner_id, now=now)
    if reason is None:
        return None
    return Disclosure.objects.create(
        owner_id=owner_id, turn=turn, reason=reason, text=text(f"disclosure.{reason.value}"), at=now
    )
