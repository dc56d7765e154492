"""
Every call to a model: what was sent, what came back, and what it cost; what each person and purpose has spent; what a
model turned out not to accept.

Money is integer nano-dollars (1 USD = 1,000,000,000): the cheapest token priced costs ten of them, so every sum is
exact.
"""

from __future__ import annotations

import uuid
from datetime import datetime
from typing import Self

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils import timezone

from ella.llm.errors import ErrorCode
from ella.llm.outcome import Usage
from ella.llm.purposes import Purpose as Purpose  # the word of every call's table, so it is found here too


class Layout(models.TextChoices):
    """Where the compiled sections stand in the payload (ella/context/layouts.py)."""

    MID_CONVERSATION = "mid_conversation", "mid conversation"
    SYSTEM_TAIL = "system_tail", "system tail"


class ModelCallQuerySet(models.QuerySet["ModelCall"]):
    def for_owner(self, owner_id: uuid.UUID) -> Self:
        return self.filter(owner_id=owner_id)

    def for_turn(self, turn_id: uuid.UUID) -> Self:
        return self.filter(turn_id=turn_id)

    def started_before(self, moment: datetime) -> Self:
        """Still without an answer although they began before `moment`."""
        return self.filter(status=ModelCall.Status.STARTED, started_at__lt=moment)

    def without_texts(self) -> Self:
        """For lists: a payload alone is some fifty kilobytes."""
        return self.defer("payload", "section_map", "left_out", "answer")


class ModelCall(models.Model):
    class Status(models.TextChoices):
        STARTED = "started", "asked, no answer yet"
        DONE = "done", "answered"
        FAILED = "failed", "failed"
        LOST = "lost", "its process died"

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    owner = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, null=True, blank=True, related_name="model_calls"
    )
    turn_id = models.UUIDField(null=True, blank=True)
    purpose = models.CharField(max_length=20, choices=Purpose.choices)
    model = models.CharField(max_length=80)
    layout = models.CharField(max_length=16, choices=Layout.choices, blank=True)
    status = models.CharField(max_length=8, choices=Status.choices, default=Status.STARTED)
    payload = models.JSONField(help_text="The request body as it was sent.")
    section_map = models.JSONField(
        default=list, help_text="Sections in payload order: label, priority, tokens, and each line with its sources."
    )
    left_out = models.JSONField(default=list, help_text="What did not fit, with its sources and the reason.")
    answer = models.JSONField(null=True, blank=True, help_text="Content blocks as they came back.")
    stop_reason = models.CharField(max_length=40, blank=True)
    error_code = models.CharField(max_length=40, choices=ErrorCode.choices, blank=True)
    error_detail = models.CharField(max_length=500, blank=True)
    request_id = models.CharField(max_length=80, blank=True, help_text="The provider's own id of the request.")
    tries = models.PositiveSmallIntegerField(default=0)
    input_tokens = models.PositiveIntegerField(default=0, help_text="The uncached remainder only.")
    cache_read_tokens = models.PositiveIntegerField(default=0)
    cache_write_5m_tokens = models.PositiveIntegerField(default=0)
    cache_write_1h_tokens = models.PositiveIntegerField(default=0)
    output_tokens = models.PositiveIntegerField(default=0)
    usage_estimated = models.BooleanField(
        default=False,
        help_text="The provider did not tell its count, or not the whole: what is missing is our estimate.",
    )
    cost_nano_usd = models.PositiveBigIntegerField(default=0)
    reserved_nano_usd = models.PositiveBigIntegerField(
        default=0, help_text="What the budget held back before the call."
    )
    budget_day = models.DateField(help_text="The UTC day whose budget this call is counted in.")
    first_token_ms = models.PositiveIntegerField(null=True, blank=True)
    duration_ms = models.PositiveIntegerField(null=True, blank=True)
    started_at = models.DateTimeField(default=timezone.now, editable=False)
    finished_at = models.DateTimeField(null=True, blank=True)

    objects = ModelCallQuerySet.as_manager()

    class Meta:
        ordering = ["-started_at"]
        indexes = [
            # The admin's list, newest first.
            models.Index(fields=["-started_at"], name="model_call_newest"),
            # A turn's trace and its admin page.
            models.Index(fields=["turn_id"], condition=Q(turn_id__isnull=False), name="model_call_of_turn"),
            # A person's calls on their admin page.
            models.Index(fields=["owner", "-started_at"], name="model_call_of_owner"),
            # Poll: the clock's sweep for calls whose process died (calls.sweep_lost_calls).
            models.Index(fields=["started_at"], condition=Q(status="started"), name="model_call_unfinished"),
        ]

    def __str__(self) -> str:
        return f"{self.get_purpose_display()} · {self.model}"

    @property
    def usage(self) -> Usage:
        return Usage(
            input_tokens=self.input_tokens,
            cache_read_tokens=self.cache_read_tokens,
            cache_write_5m_tokens=self.cache_write_5m_tokens,
            cache_write_1h_tokens=self.cache_write_1h_tokens,
            output_tokens=self.output_tokens,
        )


class SpendQuerySet(models.QuerySet["Spend"]):
    def for_owner(self, owner_id: uuid.UUID) -> Self:
        return self.filter(owner_id=owner_id)


class Spend(models.Model):
    """
    What was spent and is held back, per UTC day, for one subject: a person (`person:<uuid>`) or a purpose
    (`purpose:<name>`).

    The row is updated conditionally before a call (budget.py), so two calls at once cannot both take the last cent.
    """

    subject = models.CharField(max_length=60)
    day = models.DateField()
    owner = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, null=True, blank=True, related_name="spends"
    )
    spent_nano_usd = models.PositiveBigIntegerField(default=0)
    reserved_nano_usd = models.PositiveBigIntegerField(default=0)

    objects = SpendQuerySet.as_manager()

    class Meta:
        ordering = ["-day", "subject"]
        constraints = [models.UniqueConstraint(fields=["subject", "day"], name="spend_once_a_day")]

    def __str__(self) -> str:
        return f"{self.subject} · {self.day}"


class LearnedLimit(models.Model):
    """
    Something a model answered 400 to although our table said it would accept it. Remembered, so it is asked that way
    once.
    """

    class Limit(models.TextChoices):
        NO_MID_CONVERSATION_SYSTEM = "no_mid_conversation_system", "takes no system message inside the conversation"

    model = models.CharField(max_length=80)
    limit = models.CharField(max_length=40, choices=Limit.choices)
    learned_at = models.DateTimeField(default=timezone.now)
    message = models.CharField(max_length=500, blank=True)

    class Meta:
        ordering = ["-learned_at"]
        constraints = [models.UniqueConstraint(fields=["model", "limit"], name="learned_limit_once")]

    def __str__(self) -> str:
        return f"{self.model}: {self.get_limit_display()}"
