"""Ella's thoughts as staff read them. Nothing is added, changed or deleted here."""

from __future__ import annotations

from django.contrib import admin

from selflog.models import SelfLogEntry


@admin.register(SelfLogEntry)
class SelfLogEntryAdmin(admin.ModelAdmin[SelfLogEntry]):
    list_display = ["__str__", "certainty", "mentions_user", "owner", "said_at"]
    list_select_related = ["owner"]
    list_filter = ["mentions_user", "certainty", "said_at"]
    search_fields = ["content", "owner__username", "owner__display_name", "=id"]
    search_help_text = "Words of the thought, a person's name, or an id"
    date_hierarchy = "said_at"
    fieldsets = [
        (None, {"fields": ["owner", "scope", "content", "certainty", "about", "mentions_user", "said_at"]}),
        ("Where it comes from", {"fields": ["message_id", "based_on", "logged_by", "created_at"]}),
    ]
