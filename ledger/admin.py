"""
The ledgers as staff read them: every row with what happened to it, oldest first. Nothing is added, changed or deleted
here: what may happen to a row is a service.
"""

from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest

from ledger.models import Fact, FactEvent, Promise, PromiseEvent, Relationship, RelationshipEvent


class ReadOnly:
    """Mixed into an inline, which the site's own rule does not reach: looking is all there is."""

    def has_add_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False


class FactEventInline(ReadOnly, admin.TabularInline[FactEvent, Fact]):
    model = FactEvent
    fk_name = "fact"
    fields = ["at", "kind", "old_status", "new_status", "actor", "reason", "caused_by_fact", "detail"]
    readonly_fields = ["at"]
    verbose_name_plural = "what happened to it"

    def get_queryset(self, request: HttpRequest) -> QuerySet[FactEvent]:
        return super().get_queryset(request).select_related("caused_by_fact")


@admin.register(Fact)
class FactAdmin(admin.ModelAdmin[Fact]):
    list_display = ["statement", "tier", "status", "subject", "predicate", "object", "owner", "created_at"]
    list_display_links = ["statement"]
    list_select_related = ["owner"]
    list_filter = ["status", "tier", "created_at"]
    search_fields = ["subject", "predicate", "object", "owner__username", "owner__display_name", "=id"]
    search_help_text = "A subject, a predicate, words of the object, a person's name, or an id"
    date_hierarchy = "created_at"
    inlines = [FactEventInline]
    fieldsets = [
        (None, {"fields": ["owner", "scope", "tier", "status", "subject", "predicate", "object", "confidence"]}),
        ("What it rests on", {"fields": ["evidence", "source_message_id", "note", "supersedes"]}),
        ("When", {"fields": ["created_at", "confirmed_at", "true_from", "true_until"]}),
        ("An event in a life", {"fields": ["event_at", "event_until", "event_words", "followup_window"]}),
    ]

    @admin.display(description="fact", ordering="subject")
    def statement(self, fact: Fact) -> str:
        return str(fact.pk)[:8]


class PromiseEventInline(ReadOnly, admin.TabularInline[PromiseEvent, Promise]):
    model = PromiseEvent
    fields = ["at", "kind", "old_status", "new_status", "actor", "reason", "detail"]
    readonly_fields = ["at"]
    verbose_name_plural = "what happened to it"


@admin.register(Promise)
class PromiseAdmin(admin.ModelAdmin[Promise]):
    list_display = ["label", "status", "from_who", "to_who", "what", "due_day", "owner", "created_at"]
    list_select_related = ["owner"]
    list_filter = ["status", "due_day", "created_at"]
    search_fields = ["what", "from_who", "to_who", "owner__username", "owner__display_name", "=id"]
    search_help_text = "Words of the promise, who gave or got it, a person's name, or an id"
    date_hierarchy = "created_at"
    inlines = [PromiseEventInline]
    fieldsets = [
        (None, {"fields": ["owner", "scope", "number", "from_who", "to_who", "what", "status", "changed_into"]}),
        ("When", {"fields": ["due_day", "due_at", "due_words", "created_at"]}),
        ("What it rests on", {"fields": ["evidence", "source_message_id"]}),
    ]


class RelationshipEventInline(ReadOnly, admin.TabularInline[RelationshipEvent, Relationship]):
    model = RelationshipEvent
    fields = ["at", "kind", "old_status", "new_status", "actor", "reason", "detail"]
    readonly_fields = ["at"]
    verbose_name_plural = "what happened to it"


@admin.register(Relationship)
class RelationshipAdmin(admin.ModelAdmin[Relationship]):
    list_display = ["from_who", "to_who", "state", "cause", "status", "since", "owner"]
    list_select_related = ["owner"]
    list_filter = ["status", "since"]
    search_fields = ["state", "cause", "from_who", "to_who", "owner__username", "owner__display_name", "=id"]
    search_help_text = "Words of the state or its cause, a name, or an id"
    date_hierarchy = "since"
    inlines = [RelationshipEventInline]
    fieldsets = [
        (None, {"fields": ["owner", "scope", "from_who", "to_who", "state", "cause", "since", "status"]}),
        ("What it rests on", {"fields": ["evidence", "source_message_id", "created_at"]}),
    ]
