"""What was read out of each exchange: every proposal with its fate, and the scene as it stands and stood."""

from __future__ import annotations

from typing import Any

from django.contrib import admin, messages
from django.db.models import Count, Exists, OuterRef, Q, QuerySet
from django.http import HttpRequest

from ella.clock import utc_now
from ella.memory.models import Extraction, ExtractionItem, SceneItem
from ella.memory.services import read_again
from ella.people.requests import person_of


class ExtractionItemInline(admin.TabularInline[ExtractionItem, Extraction]):
    model = ExtractionItem
    fields = readonly_fields = ("index", "kind", "proposed", "outcome", "reason", "target_id")
    extra = 0
    can_delete = False

    def has_add_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False


class SomethingRefused(admin.SimpleListFilter):
    title = "was something refused"
    parameter_name = "refused"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        return [("yes", "Yes")]

    def queryset(self, request: HttpRequest, extractions: QuerySet[Extraction]) -> QuerySet[Extraction]:
        if self.value() != "yes":
            return extractions
        refused = ExtractionItem.objects.filter(extraction=OuterRef("pk"), outcome=ExtractionItem.Outcome.REFUSED)
        return extractions.filter(Exists(refused))


@admin.register(Extraction)
class ExtractionAdmin(admin.ModelAdmin[Extraction]):
    list_display = ["created_at", "person", "status", "accepted", "refused", "attempts", "error_code", "finished_at"]
    list_select_related = ["conversation__owner"]
    list_filter = [SomethingRefused, "status", "error_code", "created_at"]
    search_fields = ["=turn__id", "conversation__owner__username"]
    search_help_text = "A turn's id or a user name"
    inlines = [ExtractionItemInline]
    raw_id_fields = ["turn", "conversation", "model_call"]
    actions = ["read_again"]

    # Whoever may see that a reading was given up may ask for it again: it changes nothing that was said.
    @admin.action(description="Read again (those given up)", permissions=["view"])
    def read_again(self, request: HttpRequest, extractions: QuerySet[Extraction]) -> None:
        count = read_again(
            actor=person_of(request).username,
            turn_ids=[extraction.pk for extraction in extractions],
            now=utc_now(),
        )
        self.message_user(request, f"{count} given up will be read again.", messages.SUCCESS)

    def get_queryset(self, request: HttpRequest) -> QuerySet[Extraction]:
        outcome = ExtractionItem.Outcome
        return (
            super()
            .get_queryset(request)
            .annotate(
                accepted_count=Count("items", filter=Q(items__outcome=outcome.ACCEPTED)),
                refused_count=Count("items", filter=Q(items__outcome=outcome.REFUSED)),
            )
        )

    @admin.display(ordering="conversation__owner__username")
    def person(self, extraction: Extraction) -> str:
        return str(extraction.conversation.owner)

    @admin.display(ordering="accepted_count")
    def accepted(self, extraction: Extraction) -> int:
        return int(extraction.accepted_count)  # type: ignore[attr-defined]  # annotated in get_queryset

    @admin.display(ordering="refused_count")
    def refused(self, extraction: Extraction) -> int:
        return int(extraction.refused_count)  # type: ignore[attr-defined]


@admin.register(SceneItem)
class SceneItemAdmin(admin.ModelAdmin[SceneItem]):
    list_display = ["thing", "state", "owner", "began_at", "ended_at", "ended_because"]
    list_select_related = ["owner"]
    list_filter = [("ended_at", admin.EmptyFieldListFilter), "began_at"]
    search_fields = ["thing", "state", "owner__username"]
    raw_id_fields = ["conversation"]
