"""
Celery's way in to `remember`. The work is in `reading.py`; a task that runs twice, late or never changes nothing but
the time.
"""

from __future__ import annotations

from uuid import UUID

from celery import shared_task

from ella.memory.reading import read_waiting_exchanges


@shared_task(name="ella.memory.tasks.read_conversation")
def read_conversation(conversation_id: str) -> None:
    read_waiting_exchanges(UUID(conversation_id))
