"""
What Ella said about herself, in the first person. A thought is what was said, not what is true: nothing here is ever
read as a fact, and a world fact that disagrees wins.
"""

from __future__ import annotations

import uuid
from datetime import datetime
from typing import Self

from django.conf import settings
from django.db import models
from django.db.models import Q

from ledger.models import Fact
from ledger.models.grammar import WrittenOnce
from ledger.ownership import HOME_SCOPE, Owner, owner_key

CONTENT_MAX_CHARS = 600
# As many as a prompt shows for tone; nobody asks what she thought a month ago.
RECENT = 5


class Certainty(models.TextChoices):
    """How sure her words were that what they tell of took place."""

    HAPPENED = "happened"
    LIKELY = "likely"
    MAYBE = "maybe"


class SelfLogQuerySet(models.QuerySet["SelfLogEntry"]):
    def for_owner(self, owner: Owner, scope: str = HOME_SCOPE) -> Self:
        """The only way in: what she said to one person."""
        return self.filter(owner=owner_key(owner), scope=scope)

    def recent(self, limit: int = RECENT) -> Self:
        """The newest entries, newest first. A slice: filter before."""
        return self.order_by("-said_at", "-id")[:limit]

    def mentioning_user(self, since: datetime) -> Self:
        """What she said about the person since then (aware), newest first."""
        return self.filter(mentions_user=True, said_at__gte=since).order_by("-said_at", "-id")


class SelfLogEntry(WrittenOnce):
    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    # An index below begins with the owner.
    owner = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="thoughts", db_index=False
    )
    scope = models.CharField(max_length=48, default=HOME_SCOPE)
    said_at = models.DateTimeField()
    content = models.CharField(max_length=CONTENT_MAX_CHARS, help_text="First person, in her words.")
    content_hash = models.CharField(
        max_length=64, editable=False, help_text="The same words of one message are kept once."
    )
    about = models.JSONField(default=list, blank=True, help_text="Subjects, written as the ledger writes them.")
    certainty = models.CharField(max_length=8, choices=Certainty.choices, default=Certainty.HAPPENED)
    mentions_user = models.BooleanField(default=False)
    message_id = models.UUIDField(null=True, blank=True, help_text="The message she said it in.")
    based_on = models.ManyToManyField(Fact, blank=True, related_name="thoughts")
    logged_by = models.CharField(max_length=80, help_text="A user name, or the name of the job or command.")
    created_at = models.DateTimeField(editable=False)

    objects = SelfLogQuerySet.as_manager()

    class Meta:
        verbose_name = "thought"
        verbose_name_plural = "thoughts"
        ordering = ["-said_at"]
        constraints = [
            # A message read twice leaves one row; also the index services.log_thought looks it up by.
            models.UniqueConstraint(
                fields=["owner", "message_id", "content_hash"],
                condition=Q(message_id__isnull=False),
                name="thought_once_per_message",
            ),
            models.CheckConstraint(condition=Q(certainty__in=Certainty.values), name="thought_certainty_known"),
        ]
        indexes = [
            # Reader: recent(), at every prompt.
            models.Index(fields=["owner", "scope", "-said_at"], name="thought_newest_of_owner"),
            # Reader: mentioning_user(), when somebody may be written to.
            models.Index(
                fields=["owner", "scope", "-said_at"], condition=Q(mentions_user=True), name="thought_mentioning_user"
            ),
            # Reader: the admin's list, newest first.
            models.Index(fields=["-said_at"], name="thought_newest"),
        ]

    def __str__(self) -> str:
        return self.content[:80]
