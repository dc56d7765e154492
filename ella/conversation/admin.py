"""
Conversations, turns and disclosures for a moderator: readable and searchable. What was said stands on the page of a
conversation or of a turn and in no list, and whoever opens such a page is written down (backoffice.py).
"""

from __future__ import annotations

from django.contrib import admin
from django.db.models import Count, OuterRef, QuerySet, Subquery
from django.db.models.functions import Coalesce
from django.http import HttpRequest
from django.urls import reverse
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString
from django.utils.timezone import localtime

from ella.conversation.models import Conversation, Disclosure, Message, Turn
from ella.llm.models import ModelCall

TRANSCRIPT_MESSAGES = 200


@admin.register(Conversation)
class ConversationAdmin(admin.ModelAdmin[Conversation]):
    list_display = ["__str__", "owner", "exchanges", "not_answered", "created_at"]
    list_select_related = ["owner"]
    list_filter = ["created_at"]
    search_fields = ["owner__username", "owner__display_name", "title", "=id"]
    search_help_text = "A user name, a name, a title or an id"
    date_hierarchy = "created_at"
    fields = readonly_fields = ("owner", "title", "created_at", "transcript")

    def get_queryset(self, request: HttpRequest) -> QuerySet[Conversation]:
        # Counted for the rows of one page only, where a join would count every conversation there is.
        turns = Turn.objects.filter(conversation=OuterRef("pk")).order_by()
        return (
            super()
            .get_queryset(request)
            .annotate(turn_count=_number_of(turns), failed_count=_number_of(turns.filter(status=Turn.Status.FAILED)))
        )

    @admin.display(ordering="turn_count")
    def exchanges(self, conversation: Conversation) -> int:
        return int(conversation.turn_count)  # type: ignore[attr-defined]  # annotated in get_queryset

    @admin.display(ordering="failed_count")
    def not_answered(self, conversation: Conversation) -> int:
        return int(conversation.failed_count)  # type: ignore[attr-defined]

    @admin.display(description=f"The last {TRANSCRIPT_MESSAGES} messages")
    def transcript(self, conversation: Conversation) -> SafeString:
        newest = conversation.messages.select_related("turn").order_by("-position")[:TRANSCRIPT_MESSAGES]
        rows = [
            (
                message.role,
                "Ella" if message.role == Message.Role.ELLA else conversation.owner.called,
                reverse("admin:conversation_turn_change", args=[message.turn_id]),
                f"{localtime(message.created_at):%Y-%m-%d %H:%M}",
                "" if message.turn.status == Turn.Status.DONE else f" · {message.turn.get_status_display()}",
                message.text,
            )
            for message in reversed(newest)
        ]
        lines = format_html_join(
            "", '<li class="said said-{}"><header>{} · <a href="{}">{}</a>{}</header><p>{}</p></li>', rows
        )
        return format_html('<ol class="transcript">{}</ol>', lines)


@admin.register(Turn)
class TurnAdmin(admin.ModelAdmin[Turn]):
    list_display = ["created_at", "person", "conversation", "position", "status", "outcome", "error_code", "attempt"]
    list_select_related = ["conversation__owner"]
    list_filter = ["status", "outcome", "error_code", "created_at"]
    search_fields = ["=id", "=client_id", "conversation__owner__username"]
    search_help_text = "A turn's id, a client id or a user name"
    fields = readonly_fields = (
        "conversation", "position", "asked", "answered", "status", "outcome", "truncated", "error_code", "error_detail",
        "attempt", "lease_until", "client_id", "created_at", "settled_at", "model_calls",
    )  # fmt: skip

    @admin.display(ordering="conversation__owner__username")
    def person(self, turn: Turn) -> str:
        return str(turn.conversation.owner)

    @admin.display(description="the person")
    def asked(self, turn: Turn) -> str:
        return self._said(turn, Message.Role.PERSON)

    @admin.display(description="Ella", empty_value="—")
    def answered(self, turn: Turn) -> str | None:
        return self._said(turn, Message.Role.ELLA) or None

    @admin.display(description="model calls", empty_value="no model was asked")
    def model_calls(self, turn: Turn) -> SafeString | None:
        calls = ModelCall.objects.for_turn(turn.pk).only("purpose", "model", "status").order_by("started_at")
        rows = [
            (reverse("admin:llm_modelcall_change", args=[call.pk]), call, call.get_status_display()) for call in calls
        ]
        return format_html_join(format_html("<br>"), '<a href="{}">{}</a> · {}', rows) if rows else None

    @staticmethod
    def _said(turn: Turn, role: Message.Role) -> str:
        return turn.messages.filter(role=role).values_list("text", flat=True).first() or ""


@admin.register(Disclosure)
class DisclosureAdmin(admin.ModelAdmin[Disclosure]):
    list_display = ["at", "owner", "reason"]
    list_select_related = ["owner"]
    list_filter = ["reason", "at"]
    search_fields = ["owner__username"]


def _number_of(turns: QuerySet[Turn]) -> Coalesce:
    counted = turns.values("conversation").annotate(number=Count("pk")).values("number")
    return Coalesce(Subquery(counted), 0)
