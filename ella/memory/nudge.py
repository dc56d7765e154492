"""
Tell a worker that a conversation has something to be read. A lost nudge loses nothing: the row is the work, and the
clock's sweep finds it.
"""

from __future__ import annotations

from uuid import UUID

import structlog
from celery import current_app
from kombu.exceptions import OperationalError

log = structlog.get_logger(__name__)

# By its name, not by the task itself: the task nudges too, where it leaves something to the next one.
READ_CONVERSATION = "ella.memory.tasks.read_conversation"


def remember(conversation_id: UUID) -> None:
    """Send the nudge. A broker that is away is logged, never raised: the person has their answer already."""
    try:
        current_app.send_task(READ_CONVERSATION, args=[str(conversation_id)], expires=600)
    except (OperationalError, OSError) as error:
        log.warning("remember_not_nudged", conversation=str(conversation_id), error=str(error))
