"""The clock's look at what waits to be read. It reads an index of what is due, never the people."""

from __future__ import annotations

from datetime import datetime

from ella.memory.models import Extraction
from ella.memory.nudge import remember

CONVERSATIONS_A_TICK = 200


def nudge_what_waits(now: datetime) -> int:
    """
    Nudge again each conversation with something due. A nudge too many finds nothing to do. Returns how many were
    nudged.
    """
    due = (
        Extraction.objects.due(now)
        .order_by()
        .values_list("conversation_id", flat=True)
        .distinct()[:CONVERSATIONS_A_TICK]
    )
    for conversation_id in due:
        remember(conversation_id)
    return len(due)
