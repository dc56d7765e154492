"""
What `remember` has still to read, what it read, and the scene as it stands.

An `Extraction` row is written in the same transaction as the reply it will read, so no exchange can be forgotten: the
row is the work, the Celery message only a nudge. Its items keep what the model proposed and what became of each.
`SceneItem` holds the few physical facts a next reply could contradict.
"""

from __future__ import annotations

import uuid
from datetime import datetime
from typing import Self

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils import timezone

from ella.conversation.models import Conversation, Turn
from ella.llm.models import ModelCall


class ExtractionQuerySet(models.QuerySet["Extraction"]):
    def unabsorbed(self) -> Self:
        """Not read yet, also where reading was given up: until it is, the prompt shows the exchange itself."""
        return self.exclude(status=Extraction.Status.DONE)

    def waiting(self) -> Self:
        """Still to be read: of what is unabsorbed, all that was not given up."""
        # Through unabsorbed(): SQLite uses a partial index only where its condition stands in the query.
        return self.unabsorbed().filter(status__in=[Extraction.Status.PENDING, Extraction.Status.CLAIMED])

    def due(self, now: datetime) -> Self:
        """Ready to be read now: pending and past its pause, or claimed by a worker that has gone."""
        return self.filter(
            Q(status=Extraction.Status.PENDING, not_before__lte=now)
            | Q(status=Extraction.Status.CLAIMED, lease_until__lt=now)
        )


class Extraction(models.Model):
    class Status(models.TextChoices):
        PENDING = "pending"
        CLAIMED = "claimed", "being read"
        DONE = "done"
        FAILED = "failed", "given up"

    turn = models.OneToOneField(Turn, on_delete=models.CASCADE, primary_key=True, related_name="extraction")
    conversation = models.ForeignKey(Conversation, on_delete=models.CASCADE, related_name="extractions")
    position = models.PositiveIntegerField(help_text="Exchanges of a conversation are read in this order.")
    status = models.CharField(max_length=8, choices=Status.choices, default=Status.PENDING)
    attempts = models.PositiveSmallIntegerField(
        default=0, help_text="Fencing token: only the newest attempt may apply an answer."
    )
    not_before = models.DateTimeField(default=timezone.now)
    lease_until = models.DateTimeField(null=True, blank=True)
    model_call = models.ForeignKey(
        ModelCall, on_delete=models.SET_NULL, null=True, blank=True, related_name="extractions"
    )
    error_code = models.CharField(max_length=40, blank=True)
    created_at = models.DateTimeField(default=timezone.now, editable=False)
    finished_at = models.DateTimeField(null=True, blank=True)

    objects = ExtractionQuerySet.as_manager()

    class Meta:
        ordering = ["-created_at"]
        indexes = [
            # Poll: memory.services.claim_next, the earliest waiting exchange of one conversation. Every prompt:
            # context.gathering, which exchanges of one conversation are unabsorbed.
            models.Index(fields=["conversation", "position"], condition=~Q(status="done"), name="extraction_waiting"),
            # The admin's list, newest first, and its count of the day.
            models.Index(fields=["-created_at"], name="extraction_newest"),
            # Poll: the clock's sweep for what a lost nudge or a dead worker left behind.
            models.Index(fields=["not_before"], condition=Q(status__in=["pending", "claimed"]), name="extraction_due"),
        ]

    def __str__(self) -> str:
        return f"Extraction of turn {self.position} ({self.get_status_display()})"


class ExtractionItemQuerySet(models.QuerySet["ExtractionItem"]):
    def of_turn(self, turn_id: uuid.UUID) -> Self:
        return self.filter(extraction_id=turn_id).order_by("index")


class ExtractionItem(models.Model):
    """One proposal of the model, verbatim, and what became of it."""

    class Kind(models.TextChoices):
        FACT = "fact"
        SCENE = "scene"
        PROMISE = "promise"
        RELATIONSHIP = "relationship"
        THOUGHT = "thought"

    class Outcome(models.TextChoices):
        ACCEPTED = "accepted"
        UNCHANGED = "unchanged", "known already"
        REFUSED = "refused"

    extraction = models.ForeignKey(Extraction, on_delete=models.CASCADE, related_name="items")
    index = models.PositiveSmallIntegerField()
    kind = models.CharField(max_length=12, choices=Kind.choices)
    proposed = models.JSONField()
    outcome = models.CharField(max_length=9, choices=Outcome.choices)
    reason = models.CharField(max_length=200, blank=True)
    target_id = models.CharField(max_length=40, blank=True, help_text="The row it became or confirmed.")

    objects = ExtractionItemQuerySet.as_manager()

    class Meta:
        ordering = ["extraction", "index"]
        constraints = [models.UniqueConstraint(fields=["extraction", "index"], name="extraction_item_once")]

    def __str__(self) -> str:
        return f"{self.get_kind_display()} {self.get_outcome_display()}"


class SceneItemQuerySet(models.QuerySet["SceneItem"]):
    def for_owner(self, owner_id: uuid.UUID) -> Self:
        return self.filter(owner_id=owner_id)

    def standing(self, conversation_id: uuid.UUID) -> Self:
        return self.filter(conversation_id=conversation_id, ended_at__isnull=True)


class SceneItem(models.Model):
    """
    Where a thing or a body is, right now. A change ends this row and writes the next: what was true then can be told
    later.
    """

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    owner = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="scene_items")
    conversation = models.ForeignKey(Conversation, on_delete=models.CASCADE, related_name="scene_items")
    thing = models.CharField(max_length=80)
    state = models.CharField(max_length=200)
    evidence = models.TextField(blank=True)
    source_message_id = models.UUIDField(null=True, blank=True)
    began_at = models.DateTimeField(default=timezone.now)
    ended_at = models.DateTimeField(null=True, blank=True)
    ended_because = models.CharField(max_length=80, blank=True)

    objects = SceneItemQuerySet.as_manager()

    class Meta:
        ordering = ["-began_at"]
        constraints = [
            # A thing is in one place. Also the index the compiler reads the scene by.
            models.UniqueConstraint(
                fields=["conversation", "thing"], condition=Q(ended_at__isnull=True), name="scene_thing_in_one_place"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.thing}: {self.state}"
