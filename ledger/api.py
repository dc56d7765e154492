"""
What the server holds to be so about a person and their Ella, for that person to read over REST. Only their own; nothing
is written here.
"""

from __future__ import annotations

import django_filters
from django.contrib.auth.base_user import AbstractBaseUser
from django.db.models import QuerySet
from django_filters.rest_framework import DjangoFilterBackend
from rest_framework import generics, serializers

from ledger.models import Fact, FactStatus, Tier


class FactFilter(django_filters.FilterSet):
    subject = django_filters.CharFilter(method="under", help_text="A subject, or what its subjects lie under: `user`.")
    tier = django_filters.MultipleChoiceFilter(choices=Tier.choices)
    status = django_filters.MultipleChoiceFilter(choices=FactStatus.choices, help_text="All of them when not given.")

    class Meta:
        model = Fact
        fields = ["subject", "tier", "status"]

    def under(self, facts: QuerySet[Fact], name: str, prefix: str) -> QuerySet[Fact]:
        """`user.friend` finds itself and `user.friend.tom`, not `user.friendly`."""
        return facts.filter(subject=prefix) | facts.filter(subject__startswith=f"{prefix}.")


class FactSerializer(serializers.ModelSerializer[Fact]):
    class Meta:
        model = Fact
        fields = [
            "id", "tier", "status", "subject", "predicate", "object", "confidence", "evidence", "source_message_id",
            "created_at", "confirmed_at", "true_from", "true_until", "event_at", "event_until", "event_words",
        ]  # fmt: skip


class Facts(generics.ListAPIView[Fact]):
    """Facts, newest first, with the words each rests on."""

    serializer_class = FactSerializer
    filter_backends = [DjangoFilterBackend]
    filterset_class = FactFilter
    queryset = Fact.objects.none()  # names the model for the API's description; every read begins at its owner below

    def get_queryset(self) -> QuerySet[Fact]:
        if not isinstance(self.request.user, AbstractBaseUser):
            return Fact.objects.none()
        return Fact.objects.for_owner(self.request.user)
