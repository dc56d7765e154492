"""
The grammar every ledger shares: rows whose content is written once, and event rows that tell what happened to them. It
holds no table of its own.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from django.db import models

REASON_MAX_CHARS = 300


class WrittenOnce(models.Model):
    """
    A row whose content never changes. Services move its projected columns (`status` and the like) by compare-and-set on
    the queryset, in the transaction that writes the event; `save` on a row that exists already is a mistake and says
    so.
    """

    class Meta:
        abstract = True

    def save(
        self,
        *,
        force_insert: Any = False,
        force_update: bool = False,
        using: str | None = None,
        update_fields: Iterable[str] | None = None,
    ) -> None:
        if not self._state.adding:
            raise TypeError(f"A {self._meta.verbose_name} is written once; what happens to it is an event.")
        super().save(force_insert=True, using=using)


class LedgerEvent(WrittenOnce):
    """
    What happened to a row: who, when, why, what caused it, old → new. Written in the transaction of what it tells of.
    """

    actor = models.CharField(max_length=80, help_text="A user name, or the name of the job or command.")
    at = models.DateTimeField(editable=False)
    reason = models.CharField(max_length=REASON_MAX_CHARS, blank=True)
    caused_by_message_id = models.UUIDField(null=True, blank=True)
    old_status = models.CharField(max_length=12, blank=True, help_text="Empty: the row begins with this event.")
    new_status = models.CharField(max_length=12)
    detail = models.JSONField(default=dict, blank=True)

    class Meta:
        abstract = True
        ordering = ["id"]
