"""
Conversations, their messages, and the turn that joins a person's message to Ella's reply.

A `Turn` is a small state machine (queued → running → done | failed, failed → queued on a retry) whose every step is a
compare-and-set; `attempt` is its fencing token, so a runner that was thought dead cannot settle a turn someone else
has taken over. A message, once stored, is never rewritten.
"""

from __future__ import annotations

import uuid
from datetime import datetime
from typing import Self

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils import timezone


class ConversationQuerySet(models.QuerySet["Conversation"]):
    def for_owner(self, owner_id: uuid.UUID) -> Self:
        return self.filter(owner_id=owner_id)


class Conversation(models.Model):
    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    owner = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="conversations")
    title = models.CharField(max_length=120, blank=True)
    client_id = models.CharField(
        max_length=64,
        blank=True,
        help_text="The client's own id for this conversation, so that creating it twice makes one.",
    )
    next_position = models.PositiveIntegerField(default=1, editable=False)
    created_at = models.DateTimeField(default=timezone.now, editable=False)

    objects = ConversationQuerySet.as_manager()

    class Meta:
        ordering = ["-created_at"]
        constraints = [
            models.UniqueConstraint(
                fields=["owner", "client_id"], condition=~Q(client_id=""), name="conversation_client_id_once"
            ),
        ]
        # Everybody's list of conversations, newest first.
        indexes = [models.Index(fields=["owner", "-created_at"], name="conversation_of_owner")]

    def __str__(self) -> str:
        return self.title or f"Conversation of {self.created_at:%Y-%m-%d}"


class TurnQuerySet(models.QuerySet["Turn"]):
    def for_owner(self, owner_id: uuid.UUID) -> Self:
        return self.filter(conversation__owner_id=owner_id)

    def unfinished(self) -> Self:
        return self.filter(status__in=[Turn.Status.QUEUED, Turn.Status.RUNNING])

    def abandoned(self, now: datetime) -> Self:
        """Begun or waiting, and nobody is at it any more."""
        return self.unfinished().filter(lease_until__lt=now)


class Turn(models.Model):
    class Status(models.TextChoices):
        QUEUED = "queued", "waiting for an earlier turn"
        RUNNING = "running", "being answered"
        DONE = "done", "answered"
        FAILED = "failed", "not answered yet"

    class Outcome(models.TextChoices):
        MODEL = "model", "the model answered"
        BOUNDARY_INBOUND = "boundary_inbound", "answered from the table, no model asked"
        BOUNDARY_OUTBOUND = "boundary_outbound", "the model's reply was stopped and replaced"
        BUDGET = "budget", "over budget, answered from the table"

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    conversation = models.ForeignKey(Conversation, on_delete=models.CASCADE, related_name="turns")
    position = models.PositiveIntegerField(
        help_text="Order within the conversation; its message has the same, its reply the next."
    )
    client_id = models.CharField(max_length=64)
    status = models.CharField(max_length=8, choices=Status.choices, default=Status.QUEUED)
    outcome = models.CharField(max_length=20, choices=Outcome.choices, blank=True)
    attempt = models.PositiveSmallIntegerField(
        default=1, help_text="Fencing token: only the newest attempt may settle the turn."
    )
    lease_until = models.DateTimeField(help_text="Until when its runner is believed alive without a further sign.")
    error_code = models.CharField(max_length=40, blank=True)
    error_detail = models.CharField(max_length=300, blank=True)
    truncated = models.BooleanField(
        default=False, help_text="The reply ran into its token limit and ends after its last whole sentence."
    )
    created_at = models.DateTimeField(default=timezone.now, editable=False)
    settled_at = models.DateTimeField(null=True, blank=True)

    objects = TurnQuerySet.as_manager()

    class Meta:
        ordering = ["-created_at"]
        constraints = [
            models.UniqueConstraint(fields=["conversation", "client_id"], name="turn_client_id_once"),
            models.UniqueConstraint(fields=["conversation", "position"], name="turn_position_once"),
            # One open turn per conversation holds in the database, whatever two processes believe.
            models.UniqueConstraint(fields=["conversation"], condition=Q(status="running"), name="turn_one_running"),
        ]
        indexes = [
            # Poll: ella.conversation.services.claim_turn looks for earlier unfinished turns; the clock's sweep for
            # abandoned ones.
            models.Index(
                fields=["conversation", "position"],
                condition=Q(status__in=["queued", "running"]),
                name="turn_unfinished",
            ),
            models.Index(fields=["lease_until"], condition=Q(status__in=["queued", "running"]), name="turn_abandoned"),
            # The admin's list, newest first.
            models.Index(fields=["-created_at"], name="turn_newest"),
        ]

    def __str__(self) -> str:
        return f"Turn {self.position} ({self.get_status_display()})"


class MessageQuerySet(models.QuerySet["Message"]):
    def for_owner(self, owner_id: uuid.UUID) -> Self:
        return self.filter(conversation__owner_id=owner_id)

    def before(self, conversation_id: uuid.UUID, position: int) -> Self:
        """What stood in the conversation before `position`, newest first."""
        return self.filter(conversation_id=conversation_id, position__lt=position).order_by("-position")


class Message(models.Model):
    class Role(models.TextChoices):
        PERSON = "person"
        ELLA = "ella"

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    conversation = models.ForeignKey(Conversation, on_delete=models.CASCADE, related_name="messages")
    turn = models.ForeignKey(Turn, on_delete=models.CASCADE, related_name="messages")
    role = models.CharField(max_length=6, choices=Role.choices)
    position = models.PositiveIntegerField()
    text = models.TextField()
    created_at = models.DateTimeField(default=timezone.now, editable=False)

    objects = MessageQuerySet.as_manager()

    class Meta:
        ordering = ["position"]
        constraints = [
            # Also the index that reads a conversation's newest messages (compiler, API list).
            models.UniqueConstraint(fields=["conversation", "position"], name="message_position_once"),
            # A turn is never answered twice, and never asked twice.
            models.UniqueConstraint(fields=["turn", "role"], name="message_one_per_role"),
        ]
        # Reader: disclosure.due, which looks back over the last hours of talk.
        indexes = [models.Index(fields=["conversation", "-created_at"], name="message_newest")]

    def __str__(self) -> str:
        return f"{self.get_role_display()}: {self.text[:60]}"


class DisclosureQuerySet(models.QuerySet["Disclosure"]):
    def for_owner(self, owner_id: uuid.UUID) -> Self:
        return self.filter(owner_id=owner_id)


class Disclosure(models.Model):
    """
    That this person was told, then and there, that Ella is not a human. The server decides when one is due
    (disclosure.py).
    """

    class Reason(models.TextChoices):
        INTERACTION_BEGINS = "interaction_begins"
        CONTINUING_USE = "continuing_use", "three hours of continuing use"

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    owner = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="disclosures")
    turn = models.OneToOneField(Turn, on_delete=models.CASCADE, related_name="disclosure")
    reason = models.CharField(max_length=20, choices=Reason.choices)
    text = models.TextField()
    at = models.DateTimeField(default=timezone.now, editable=False)

    objects = DisclosureQuerySet.as_manager()

    class Meta:
        ordering = ["-at"]
        # Reader: disclosure.due, the newest one of a person at every turn.
        indexes = [models.Index(fields=["owner", "-at"], name="disclosure_newest")]

    def __str__(self) -> str:
        return f"{self.get_reason_display()} · {self.at:%Y-%m-%d %H:%M}"
