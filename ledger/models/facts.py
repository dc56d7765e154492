"""
Facts and what happened to them. The tables hold what must be true of any fact (one active canon for a key, a confidence
between 0 and 1); which fact may replace which is decided in `ledger.services`, never here.
"""

from __future__ import annotations

import uuid
from datetime import datetime
from typing import Self

from django.conf import settings
from django.db import models
from django.db.models import Case, Exists, F, OuterRef, Q, Value, When
from django.db.models.functions import Coalesce

from ledger.models.grammar import LedgerEvent, WrittenOnce
from ledger.ownership import HOME_SCOPE, Owner, owner_key
from ledger.registry import PREDICATE_MAX_CHARS, registry
from ledger.subjects import SUBJECT_MAX_CHARS, normalised_subject

OBJECT_MAX_CHARS = 500


class Tier(models.TextChoices):
    """How a fact is known, highest authority first."""

    CANON = "canon"
    OBSERVED = "observed"
    RUMORED = "rumored"
    USER_CLAIM = "user_claim", "user's claim"
    INFERRED = "inferred"

    @property
    def rank(self) -> int:
        """0 is the highest authority."""
        return _TIERS_BY_RANK.index(self)

    @property
    def is_of_the_world(self) -> bool:
        """
        Whether facts of this tier dispute each other. A person's claim about her world only ever stands beside it.
        """
        return self is not Tier.USER_CLAIM


_TIERS_BY_RANK = list(Tier)


class FactStatus(models.TextChoices):
    """A projection of the fact's events."""

    ACTIVE = "active"
    SUPERSEDED = "superseded"
    RETIRED = "retired"
    CONTESTED = "contested", "disputed"


STANDING = (FactStatus.ACTIVE, FactStatus.CONTESTED)


class FactQuerySet(models.QuerySet["Fact"]):
    def for_owner(self, owner: Owner, scope: str = HOME_SCOPE) -> Self:
        """The only way in: one person's facts, in Ella's world with them unless another `scope` is named."""
        return self.filter(owner=owner_key(owner), scope=scope)

    def standing(self) -> Self:
        return self.filter(status__in=STANDING)

    def current(self) -> Self:
        """What holds now, what is disputed included: a contested canon never silently disappears."""
        return self.standing()

    def under_key(self, subject: str, predicate: str) -> Self:
        """
        Every fact of a key, whatever became of it. Raises `InvalidFact` for a subject or predicate that cannot be one.
        """
        return self.filter(subject=normalised_subject(subject), predicate=registry().normalised(predicate))

    def history(self, subject: str, predicate: str) -> Self:
        """Every fact there ever was of a key, oldest first."""
        return self.under_key(subject, predicate).order_by("created_at", "id")

    def as_of(self, moment: datetime, known_at: datetime | None = None) -> Self:
        """
        What was true at `moment` (aware), as known today or as it was known at `known_at`.

        A fact is true from `true_from`, or from when it was learned if nobody said since when, until `true_until`. One
        that was withdrawn (retired without an end) was never true; asked with an earlier `known_at`, it was still
        believed.
        """
        begun = self.alias(begins=Coalesce("true_from", "created_at")).filter(begins__lte=moment)
        if known_at is None:
            withdrawn = Q(status=FactStatus.RETIRED, true_until__isnull=True)
            return begun.exclude(withdrawn).filter(Q(true_until__isnull=True) | Q(true_until__gt=moment))
        ended_by_then = Exists(FactEvent.objects.filter(fact=OuterRef("pk"), kind__in=ENDINGS, at__lte=known_at))
        return begun.filter(Q(created_at__lte=known_at), ~ended_by_then | Q(true_until__gt=moment))

    def by_rank(self) -> Self:
        """The order of the brief: canon before inferred, the surer first within a tier, then the newer."""
        ranks = [When(tier=tier, then=Value(tier.rank)) for tier in Tier]
        return self.order_by(Case(*ranks), "-confidence", "-created_at", "id")


class Fact(WrittenOnce):
    """
    One thing the server holds to be so. Content is written once; `status`, `true_until` and `confirmed_at` are
    projections of the events and move only with one.
    """

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    # Three indexes below begin with the owner; one more would only cost every write.
    owner = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="facts", db_index=False)
    scope = models.CharField(
        max_length=48, default=HOME_SCOPE, help_text="home: Ella's world with this person; live:… a Live world."
    )
    tier = models.CharField(max_length=10, choices=Tier.choices)
    status = models.CharField(max_length=10, choices=FactStatus.choices, default=FactStatus.ACTIVE)
    subject = models.CharField(max_length=SUBJECT_MAX_CHARS, help_text="Dotted, lower case: ellahome.exterior.door")
    predicate = models.CharField(max_length=PREDICATE_MAX_CHARS)
    object = models.CharField(max_length=OBJECT_MAX_CHARS)
    confidence = models.FloatField(help_text="0 to 1, as first told; what was said again is in the events.")
    source_message_id = models.UUIDField(null=True, blank=True)
    evidence = models.TextField(blank=True, help_text="The words it rests on.")
    note = models.TextField(blank=True)
    created_at = models.DateTimeField(editable=False, help_text="When it was learned.")
    confirmed_at = models.DateTimeField(editable=False, help_text="When it was last said.")
    true_from = models.DateTimeField(null=True, blank=True, help_text="Since when it is so, if that was said.")
    true_until = models.DateTimeField(null=True, blank=True, help_text="Until when it was so.")
    supersedes = models.ForeignKey(
        "self", on_delete=models.RESTRICT, null=True, blank=True, related_name="superseded_by"
    )
    event_at = models.DateTimeField(
        null=True, blank=True, help_text="When it happens; midnight on the person's clock: that day."
    )
    event_until = models.DateTimeField(
        null=True, blank=True, help_text="When it is over; that moment is not part of it."
    )
    event_words = models.CharField(max_length=120, blank=True, help_text="The person's own words for the time.")
    followup_window = models.DurationField(
        null=True, blank=True, help_text="How long after the event one may ask about it."
    )

    objects = FactQuerySet.as_manager()

    class Meta:
        ordering = ["-created_at"]
        constraints = [
            # The narrative anchor: whatever two processes believe, a key has one.
            models.UniqueConstraint(
                fields=["owner", "scope", "subject", "predicate"],
                condition=Q(tier=Tier.CANON, status=FactStatus.ACTIVE),
                name="fact_one_active_canon",
            ),
            models.CheckConstraint(condition=Q(confidence__gte=0, confidence__lte=1), name="fact_confidence_in_range"),
            models.CheckConstraint(condition=Q(tier__in=Tier.values), name="fact_tier_known"),
            models.CheckConstraint(condition=Q(status__in=FactStatus.values), name="fact_status_known"),
            models.CheckConstraint(
                condition=Q(event_until__isnull=True) | Q(event_until__gte=F("event_at")),
                name="fact_event_ends_after_it_begins",
            ),
        ]
        indexes = [
            # Readers: services.standing_facts, what stands under a key, at every write; current(), all of a person's.
            models.Index(
                fields=["owner", "scope", "subject", "predicate"],
                condition=Q(status__in=[FactStatus.ACTIVE, FactStatus.CONTESTED]),
                name="fact_standing_key",
            ),
            # Readers: history() of a key; as_of(), all that a person's ledger ever held.
            models.Index(fields=["owner", "scope", "subject", "predicate", "created_at"], name="fact_history_of_key"),
            # Reader: the list of a person's facts, newest first.
            models.Index(fields=["owner", "scope", "-created_at"], name="fact_newest_of_owner"),
            # Reader: the admin's list, newest first.
            models.Index(fields=["-created_at"], name="fact_newest"),
        ]

    def __str__(self) -> str:
        return f"{self.subject} · {self.predicate} = {self.object}"


class FactEventQuerySet(models.QuerySet["FactEvent"]):
    def for_owner(self, owner: Owner, scope: str = HOME_SCOPE) -> Self:
        return self.filter(fact__owner=owner_key(owner), fact__scope=scope)


class FactEvent(LedgerEvent):
    class Kind(models.TextChoices):
        ASSERTED = "asserted"
        ANCHORED = "anchored", "anchored as canon"
        CORROBORATED = "corroborated", "said again"
        SUPERSEDED = "superseded"
        RETIRED = "retired"
        CONTESTED = "contested", "disputed"
        RESOLVED = "resolved", "no longer disputed"

    fact = models.ForeignKey(Fact, on_delete=models.CASCADE, related_name="events", db_index=False)
    kind = models.CharField(max_length=12, choices=Kind.choices)
    caused_by_fact = models.ForeignKey(
        Fact, on_delete=models.RESTRICT, null=True, blank=True, related_name="caused_events"
    )

    objects = FactEventQuerySet.as_manager()

    class Meta(LedgerEvent.Meta):
        # Readers: a fact's history on its page and in the API; as_of(known_at=…), whether it had ended by then.
        indexes = [models.Index(fields=["fact", "kind", "at"], name="fact_event_of_fact")]

    def __str__(self) -> str:
        return f"{self.get_kind_display()} · {self.at:%Y-%m-%d %H:%M}"


# The events after which a fact no longer stands.
ENDINGS = (FactEvent.Kind.SUPERSEDED, FactEvent.Kind.RETIRED)
