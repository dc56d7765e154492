"""
Celery's way in to `remember`. The work is in `reading.py`; a task that runs twice, late or never changes nothing but
the time.
"""

from __future__ import annotations

from uuid import UUID

from celery import shared_task

from ella.clock import utc_now
from ella.memory.nudge import READ_CONVERSATION, remember
from ella.memory.reading import read_waiting_exchanges
from ella.memory.services import is_something_ready


@shared_task(name=READ_CONVERSATION)
def read_conversation(conversation_id: str) -> None:
    """Read a job's share of what waits, and ask for another job where more of it is ready."""
    conversation = UUID(conversation_id)
    read_waiting_exchanges(conversation)
    if is_something_ready(conversation, utc_now()):
        remember(conversation)
