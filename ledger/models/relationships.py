"""
How one feels towards another, in words, written only when it changes and shown verbatim until it changes again. Nothing
here fades by itself.
"""

from __future__ import annotations

import uuid
from typing import Self

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.db.models.functions import Lower

from ledger.models.grammar import LedgerEvent, WrittenOnce
from ledger.models.promises import NAME_MAX_CHARS
from ledger.ownership import HOME_SCOPE, Owner, owner_key

STATE_MAX_CHARS = 300


class RelationshipStatus(models.TextChoices):
    """A projection of the relationship's events."""

    CURRENT = "current"
    PAST = "past"


class RelationshipQuerySet(models.QuerySet["Relationship"]):
    def for_owner(self, owner: Owner, scope: str = HOME_SCOPE) -> Self:
        """The only way in: the relationships in one person's ledger."""
        return self.filter(owner=owner_key(owner), scope=scope)

    def current(self) -> Self:
        return self.filter(status=RelationshipStatus.CURRENT)


class Relationship(WrittenOnce):
    """Content is written once; `status` is a projection of the events."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    owner = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="relationships")
    scope = models.CharField(max_length=48, default=HOME_SCOPE)
    from_who = models.CharField("from", max_length=NAME_MAX_CHARS)
    to_who = models.CharField("to", max_length=NAME_MAX_CHARS)
    state = models.CharField(max_length=STATE_MAX_CHARS)
    cause = models.CharField(max_length=STATE_MAX_CHARS, blank=True)
    since = models.DateTimeField()
    status = models.CharField(max_length=7, choices=RelationshipStatus.choices, default=RelationshipStatus.CURRENT)
    source_message_id = models.UUIDField(null=True, blank=True)
    evidence = models.TextField(blank=True)
    created_at = models.DateTimeField(editable=False)

    objects = RelationshipQuerySet.as_manager()

    class Meta:
        ordering = ["-created_at"]
        constraints = [
            # One state at a time from one to another. Also the index the prompt reads them by.
            models.UniqueConstraint(
                "owner",
                "scope",
                Lower("from_who"),
                Lower("to_who"),
                condition=Q(status="current"),
                name="relationship_one_current",
            ),
            models.CheckConstraint(condition=Q(status__in=RelationshipStatus.values), name="relationship_status_known"),
        ]
        indexes = [
            # Reader: the admin's list, newest first.
            models.Index(fields=["-created_at"], name="relationship_newest"),
        ]

    def __str__(self) -> str:
        return f"{self.from_who} → {self.to_who}: {self.state}"


class RelationshipEventQuerySet(models.QuerySet["RelationshipEvent"]):
    def for_owner(self, owner: Owner, scope: str = HOME_SCOPE) -> Self:
        return self.filter(relationship__owner=owner_key(owner), relationship__scope=scope)


class RelationshipEvent(LedgerEvent):
    class Kind(models.TextChoices):
        BEGAN = "began"
        CORROBORATED = "corroborated", "said again"
        ENDED = "ended", "changed into another"

    relationship = models.ForeignKey(Relationship, on_delete=models.CASCADE, related_name="events")
    kind = models.CharField(max_length=12, choices=Kind.choices)

    objects = RelationshipEventQuerySet.as_manager()

    class Meta(LedgerEvent.Meta):
        # The foreign key's own index is what a relationship's history is read by.
        verbose_name = "relationship event"

    def __str__(self) -> str:
        return f"{self.get_kind_display()} · {self.at:%Y-%m-%d %H:%M}"
