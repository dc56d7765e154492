"""
Boundary fires for moderators: a list that can be searched, and a case on one page, with what was found marked in the
words around it and the reply that was given. Read only; what a moderator decides about a case is an action of its own.
"""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils import timezone
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

from boundary.classify import RULEBOOK
from boundary.models import BoundaryFire, BoundaryFireQuerySet
from boundary.verdict import Category, Direction

_AROUND = 60
_CATEGORY_OF = {rule.id: rule.category for rule in RULEBOOK.rules}


class QuestionFilter(admin.SimpleListFilter):
    """What somebody looking at fires wants to know, in their words."""

    title = "which fires"
    parameter_name = "question"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        return [
            ("crisis", "Was somebody in danger?"),
            ("drift", "Did Ella drift?"),
            ("day", "What happened in the last 24 hours?"),
            ("soft", "Where did we only take more care?"),
        ]

    def queryset(self, request: HttpRequest, queryset: QuerySet[BoundaryFire]) -> QuerySet[BoundaryFire]:
        match self.value():
            case "crisis":
                return queryset.filter(
                    category=Category.EMOTIONAL_CRISIS.value, direction=Direction.INBOUND.value, soft=False
                )
            case "drift":
                return queryset.filter(direction=Direction.OUTBOUND.value)
            case "day":
                return queryset.filter(created_at__gte=timezone.now() - timedelta(days=1))
            case "soft":
                return queryset.filter(soft=True)
        return queryset


@admin.register(BoundaryFire)
class BoundaryFireAdmin(admin.ModelAdmin[BoundaryFire]):
    list_display = ("created_at", "owner", "category", "direction", "soft", "found", "decided_by")
    list_filter = (QuestionFilter, "category", "direction", "soft", "created_at")
    list_select_related = ("owner",)
    list_per_page = 50
    search_fields = ("text", "reply_text", "owner__username", "turn_id", "reply_text_id")
    search_help_text = "Words of the message or the reply, a user name, a turn id or a reply text id"
    date_hierarchy = "created_at"
    ordering = ("-created_at",)
    fieldsets = (
        (None, {"fields": ("what_happened", "passage", "deciding_rules")}),
        ("What was answered", {"fields": ("reply_text", "reply_text_id")}),
        ("Where", {"fields": ("owner", "turn_id", "created_at", "actor")}),
    )
    readonly_fields = ("what_happened", "passage", "deciding_rules")

    def get_queryset(self, request: HttpRequest) -> BoundaryFireQuerySet:
        return BoundaryFire.objects.select_related("owner")

    @admin.display(description="what was found")
    def found(self, fire: BoundaryFire) -> SafeString:
        before, inside, after = fire.highlighted
        if not inside:
            return format_html("{}", _shortened(before))
        start = "…" if len(before) > _AROUND else ""
        end = "…" if len(after) > _AROUND else ""
        return format_html(
            "{}{}<mark>{}</mark>{}{}", start, before[-_AROUND:], _shortened(inside), after[:_AROUND], end
        )

    @admin.display(description="rules")
    def decided_by(self, fire: BoundaryFire) -> str:
        return ", ".join(fire.rules)

    @admin.display(description="what happened")
    def what_happened(self, fire: BoundaryFire) -> str:
        strength = "a weak sign of" if fire.soft else "a clear sign of"
        action = "Nothing was blocked; she was asked to take care." if fire.soft else "The reply came from the table."
        return (
            f"There was {strength} {fire.get_category_display()} in what was {fire.get_direction_display()}. {action}"
        )

    @admin.display(description="in these words")
    def passage(self, fire: BoundaryFire) -> SafeString:
        return format_html("<div>{}<mark>{}</mark>{}</div>", *fire.highlighted)

    @admin.display(description="rules that decided")
    def deciding_rules(self, fire: BoundaryFire) -> SafeString:
        rules = (
            (rule, _CATEGORY_OF[rule].label if rule in _CATEGORY_OF else "no longer a rule") for rule in fire.rules
        )
        return format_html_join("", "<div><code>{}</code> ({})</div>", rules)


def _shortened(text: str) -> str:
    return text if len(text) <= 2 * _AROUND else f"{text[: 2 * _AROUND]}…"
