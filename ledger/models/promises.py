"""
Promises and what became of them. The server keeps the day; how near it is is reckoned at reading, never stored.
"""

from __future__ import annotations

import uuid
from datetime import date
from typing import Self

from django.conf import settings
from django.db import models
from django.db.models import Q

from ledger.models.grammar import LedgerEvent, WrittenOnce
from ledger.ownership import HOME_SCOPE, Owner, owner_key

NAME_MAX_CHARS = 80
WHAT_MAX_CHARS = 300


class PromiseStatus(models.TextChoices):
    """A projection of the promise's events."""

    OPEN = "open"
    KEPT = "kept"
    BROKEN = "broken"
    CHANGED = "changed"
    WITHDRAWN = "withdrawn"


class PromiseQuerySet(models.QuerySet["Promise"]):
    def for_owner(self, owner: Owner, scope: str = HOME_SCOPE) -> Self:
        """The only way in: the promises in one person's ledger."""
        return self.filter(owner=owner_key(owner), scope=scope)

    def open(self) -> Self:
        return self.filter(status=PromiseStatus.OPEN)


class Promise(WrittenOnce):
    """Content is written once; `status` and `changed_into` are projections of the events."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    owner = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="promises", db_index=False
    )
    scope = models.CharField(max_length=48, default=HOME_SCOPE)
    number = models.PositiveIntegerField(help_text="Counts this person's promises, so that one can be shown as p4.")
    from_who = models.CharField("from", max_length=NAME_MAX_CHARS)
    to_who = models.CharField("to", max_length=NAME_MAX_CHARS)
    what = models.CharField(max_length=WHAT_MAX_CHARS)
    due_day = models.DateField(
        null=True, blank=True, help_text="On the person's clock, as it was when the promise was made."
    )
    due_at = models.DateTimeField(null=True, blank=True)
    due_words = models.CharField(max_length=120, blank=True, help_text="The words for the time, as they were said.")
    status = models.CharField(max_length=9, choices=PromiseStatus.choices, default=PromiseStatus.OPEN)
    changed_into = models.OneToOneField(
        "self", on_delete=models.RESTRICT, null=True, blank=True, related_name="changed_from"
    )
    source_message_id = models.UUIDField(null=True, blank=True)
    evidence = models.TextField(blank=True)
    created_at = models.DateTimeField(editable=False)

    objects = PromiseQuerySet.as_manager()

    class Meta:
        ordering = ["-created_at"]
        constraints = [
            models.UniqueConstraint(fields=["owner", "number"], name="promise_number_once"),
            models.CheckConstraint(condition=Q(status__in=PromiseStatus.values), name="promise_status_known"),
            models.CheckConstraint(
                condition=Q(due_at__isnull=True) | Q(due_day__isnull=False), name="promise_moment_has_a_day"
            ),
        ]
        indexes = [
            # Readers: every prompt, a person's open promises by their day; promising.match_open's candidates.
            models.Index(fields=["owner", "scope", "due_day"], condition=Q(status="open"), name="promise_open_by_day"),
            # Reader: the admin's list, newest first.
            models.Index(fields=["-created_at"], name="promise_newest"),
        ]

    def __str__(self) -> str:
        return f"{self.label} {self.from_who} → {self.to_who}: {self.what}"

    @property
    def label(self) -> str:
        return f"p{self.number}"

    def mark(self, today: date) -> str:
        """
        How near its day is on the person's calendar: `due in 3 days`, `settle today`, `overdue by 2 days`, or nothing.
        """
        if self.status != PromiseStatus.OPEN or self.due_day is None:
            return ""
        days = (self.due_day - today).days
        if days == 0:
            return "settle today"
        count = f"{abs(days)} day" if abs(days) == 1 else f"{abs(days)} days"
        return f"due in {count}" if days > 0 else f"overdue by {count}"


class PromiseEventQuerySet(models.QuerySet["PromiseEvent"]):
    def for_owner(self, owner: Owner, scope: str = HOME_SCOPE) -> Self:
        return self.filter(promise__owner=owner_key(owner), promise__scope=scope)


class PromiseEvent(LedgerEvent):
    class Kind(models.TextChoices):
        MADE = "made"
        CORROBORATED = "corroborated", "said again"
        KEPT = "kept"
        BROKEN = "broken"
        CHANGED = "changed"
        WITHDRAWN = "withdrawn"

    promise = models.ForeignKey(Promise, on_delete=models.CASCADE, related_name="events")
    kind = models.CharField(max_length=12, choices=Kind.choices)

    objects = PromiseEventQuerySet.as_manager()

    class Meta(LedgerEvent.Meta):
        # The foreign key's own index is what a promise's history is read by.
        verbose_name = "promise event"

    def __str__(self) -> str:
        return f"{self.get_kind_display()} · {self.at:%Y-%m-%d %H:%M}"
