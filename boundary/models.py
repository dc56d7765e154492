"""
Where a boundary fired and what was answered instead: one row per turn, direction and category, for a moderator to
judge. A row is a record of what happened; nothing here is ever rewritten.
"""

from __future__ import annotations

import uuid
from typing import Self

from django.conf import settings
from django.db import models
from django.db.models import F, Q
from django.utils.timezone import now

from boundary.verdict import Category, Direction


class BoundaryFireQuerySet(models.QuerySet["BoundaryFire"]):
    def for_owner(self, owner_id: uuid.UUID) -> Self:
        return self.filter(owner_id=owner_id)

    def last_reply_text_id(self) -> str | None:
        """The table text given most recently, so that it is not given twice in a row; None when none ever was."""
        return self.exclude(reply_text_id="").order_by("-created_at").values_list("reply_text_id", flat=True).first()


class BoundaryFire(models.Model):
    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    owner = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="boundary_fires")
    turn_id = models.UUIDField(
        "turn", help_text="The turn it happened in. Not a foreign key: this floor knows no turns."
    )
    actor = models.CharField("recorded by", max_length=80, help_text="A user name, or the name of the job or step.")
    direction = models.CharField(max_length=8, choices=[(direction.value, direction.label) for direction in Direction])
    category = models.CharField(
        max_length=20,
        choices=[(category.value, category.label) for category in Category if category is not Category.OK],
    )
    soft = models.BooleanField(default=False, help_text="A weak signal: nothing was blocked, care was added.")
    rules = models.JSONField(default=list, help_text="The ids of the rules that decided.")
    span_start = models.PositiveIntegerField(null=True, blank=True, help_text="In characters of the text.")
    span_end = models.PositiveIntegerField(null=True, blank=True)
    text = models.TextField(help_text="What was written, by the person or by the model.")
    reply_text = models.TextField("reply given", blank=True)
    reply_text_id = models.CharField("text of the reply table", max_length=80, blank=True)
    created_at = models.DateTimeField("when", default=now, editable=False)

    objects = BoundaryFireQuerySet.as_manager()

    class Meta:
        ordering = ["-created_at"]
        constraints = [
            # A turn that is resumed records nothing twice. Also the index that finds the fires of a turn.
            models.UniqueConstraint(fields=["turn_id", "direction", "category"], name="boundary_fire_once"),
            models.CheckConstraint(
                condition=Q(span_start__isnull=True, span_end__isnull=True) | Q(span_start__lte=F("span_end")),
                name="boundary_fire_span",
            ),
        ]
        indexes = [
            # Reader: BoundaryFireQuerySet.last_reply_text_id, once a turn; and the page of one person.
            models.Index(fields=["owner", "-created_at"], name="boundary_fire_of_owner"),
            # Reader: the admin's list, newest first.
            models.Index(fields=["-created_at"], name="boundary_fire_newest"),
        ]

    def __str__(self) -> str:
        return f"{self.get_category_display()}, {self.get_direction_display()} · {self.created_at:%Y-%m-%d %H:%M}"

    @property
    def highlighted(self) -> tuple[str, str, str]:
        """The text before, inside and after the span; everything is before where there is no span."""
        if self.span_start is None or self.span_end is None:
            return self.text, "", ""
        return self.text[: self.span_start], self.text[self.span_start : self.span_end], self.text[self.span_end :]
