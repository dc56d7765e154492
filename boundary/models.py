"""Where a boundary fired, and what was answered instead: one row per turn, direction and category, for a moderator to judge."""

from __future__ import annotations

import uuid
from typing import Self

from django.conf import settings
from django.db import models
from django.utils.timezone import now

from boundary.verdict import Category, Direction


class BoundaryFireQuerySet(models.QuerySet["BoundaryFire"]):
    def for_owner(self, owner_id: uuid.UUID) -> Self:
        return self.filter(owner_id=owner_id)

    def last_reply_text_id(self) -> str | None:
        return self.exclude(reply_text_id="").order_by("-created_at").values_list("reply_text_id", flat=True).first()


class BoundaryFire(models.Model):
    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    owner = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="boundary_fires")
    turn_id = models.UUIDField(db_index=True)
    direction = models.CharField(max_length=8, choices=[(d.value, d.value) for d in Direction])
    category = models.CharField(max_length=20, choices=[(c.value, c.label) for c in Category])
    soft = models.BooleanField(default=False)
    rules = models.JSONField(default=list)
    span_start = models.PositiveIntegerField(null=True)
    span_end = models.PositiveIntegerField(null=True)
    text = models.TextField()
    reply_text = models.TextField(blank=True)
    reply_text_id = models.CharField(max_length=80, blank=True)
    created_at = models.DateTimeField(default=now, editable=False)

    objects = BoundaryFireQuerySet.as_manager()

    class Meta:
        ordering = ["-created_at"]
        constraints = [models.UniqueConstraint(fields=["turn_id", "direction", "category"], name="fire_once")]
