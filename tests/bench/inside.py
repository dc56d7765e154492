"""
The part of the benchmarks that needs the house's own code: people and long histories written quickly, and the bare SQL
of one turn. Runs inside a bench house by `manage.py shell` (see houses.py) and prints one JSON document.
"""

from __future__ import annotations

import json
import time
import uuid
from datetime import timedelta
from statistics import median
from typing import Any

from django.conf import settings
from django.db import connection
from rest_framework.test import APIClient

from config.celery import app as celery_app
from ella.clock import utc_now
from ella.conversation.models import Conversation, Message, Turn
from ella.llm.models import ModelCall, Purpose
from ella.memory.models import Extraction
from ella.people.registration import register
from ella.people.services import log_in
from tests.bench.bare_sql import record, replay

BETWEEN_EXCHANGES = timedelta(minutes=10)


def tell(answer: Any) -> None:
    print(json.dumps(answer))


def people(count: int) -> None:
    """Tells `[{token, conversation}]`."""
    settings.PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
    made = []
    for _ in range(count):
        person = register(actor="bench", username=f"bench-{uuid.uuid4().hex[:12]}", password=uuid.uuid4().hex)
        token = log_in(actor="bench", person=person, device="bench").token
        made.append({"token": token, "conversation": str(person.conversations.get().pk)})
    tell(made)


def history(conversation_id: str, messages: int) -> None:
    """Fill a conversation up with exchanges that were answered and read, the last one some minutes ago."""
    conversation = Conversation.objects.get(pk=conversation_id)
    exchanges = messages // 2
    for number in range(exchanges):
        _exchange(conversation, number, utc_now() - BETWEEN_EXCHANGES * (exchanges - number))
    _write()
    Conversation.objects.filter(pk=conversation_id).update(next_position=2 * exchanges + 1)
    tell(Message.objects.filter(conversation=conversation).count())


_rows: dict[type[Any], list[Any]] = {Turn: [], Message: [], ModelCall: [], Extraction: []}


def _exchange(conversation: Conversation, number: int, at: Any) -> None:
    position = 2 * number + 1
    turn = Turn(
        conversation=conversation,
        position=position,
        client_id=f"history-{number}",
        status=Turn.Status.DONE,
        outcome=Turn.Outcome.MODEL,
        lease_until=at,
        created_at=at,
        settled_at=at,
    )
    call = ModelCall(
        owner_id=conversation.owner_id,
        turn_id=turn.pk,
        purpose=Purpose.LIVE_REPLY,
        model="claude-sonnet-5-5",
        status=ModelCall.Status.DONE,
        payload={"messages": ["a line of a prompt " * 100]},
        budget_day=at.date(),
        started_at=at,
        finished_at=at,
    )
    said = (
        (Message.Role.PERSON, f"It rained again on day {number}, and the bus was late."),
        (Message.Role.ELLA, "Then tea first, and the bus can explain itself tomorrow. Did you get wet?"),
    )
    _rows[Turn].append(turn)
    _rows[ModelCall].append(call)
    _rows[Message] += [
        Message(conversation=conversation, turn=turn, role=role, position=position + place, text=text, created_at=at)
        for place, (role, text) in enumerate(said)
    ]
    _rows[Extraction].append(
        Extraction(
            turn=turn, conversation=conversation, position=position, status=Extraction.Status.DONE, created_at=at
        )
    )


def _write() -> None:
    for model, rows in _rows.items():
        model.objects.bulk_create(rows, batch_size=500)
        rows.clear()
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE")


def model_seconds(turn_ids: list[str]) -> None:
    """Tells how long the model took in each of these turns."""
    calls = ModelCall.objects.filter(turn_id__in=turn_ids, purpose=Purpose.LIVE_REPLY)
    took = {str(turn): duration for turn, duration in calls.values_list("turn_id", "duration_ms")}
    tell([took[turn] / 1000 for turn in turn_ids])


def bare_sql(token: str, conversation_id: str, repeats: int) -> None:
    """
    Tells the median time of one turn's own statements, in the same transactions, sent over a bare connection: what no
    implementation could go below with these rows.
    """
    settings.DATABASE_THREADS = 0
    settings.ALLOWED_HOSTS = ["testserver"]
    celery_app.conf.broker_url = "memory://"
    client = APIClient(headers={"Authorization": f"Token {token}"})
    before = Conversation.objects.get(pk=conversation_id).next_position
    with record() as statements:
        body = {"text": "Is the harbour still grey?", "client_id": "bare"}
        answer = client.post(f"/api/v1/conversations/{conversation_id}/messages", body, format="json")
    assert answer.status_code == 201, answer.content
    turn = answer.json()["turn"]["id"]
    took = []
    for _ in range(repeats):
        _forget(turn, conversation_id, before)
        began = time.perf_counter()
        replay(statements)
        took.append(time.perf_counter() - began)
    _forget(turn, conversation_id, before)
    tell({"seconds": median(took), "statements": len(statements)})


def _forget(turn: str, conversation_id: str, next_position: int) -> None:
    ModelCall.objects.filter(turn_id=turn).delete()
    Turn.objects.filter(pk=turn).delete()
    Conversation.objects.filter(pk=conversation_id).update(next_position=next_position)
