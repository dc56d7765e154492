"""
Conversations, turns and disclosures for a moderator: readable and searchable. What was said is read on a
conversation's own page, and every such look is logged.
"""

from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.db.models import Count, Q, QuerySet
from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString
from django.utils.timezone import localtime

from ella.conversation.models import Conversation, Disclosure, Message, Turn
from ella.llm.models import ModelCall
from ella.people.services import look_at

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
        return (
            super()
            .get_queryset(request)
            .annotate(
                turn_count=Count("turns"), failed_count=Count("turns", filter=Q(turns__status=Turn.Status.FAILED))
            )
        )

    def change_view(
        self, request: HttpRequest, object_id: str, form_url: str = "", extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        response = super().change_view(request, object_id, form_url, extra_context)
        if response.status_code == 200 and (conversation := self.get_object(request, object_id)) is not None:
            look_at(
                actor=request.user.get_username(),
                person=conversation.owner,
                conversation_id=conversation.pk,
            )
        return response

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
    list_display = ["created_at", "person", "status", "outcome", "what_was_asked", "error_code", "attempt"]
    list_display_links = ["created_at", "what_was_asked"]
    list_select_related = ["conversation__owner"]
    list_filter = ["status", "outcome", "error_code", "created_at"]
    search_fields = ["=id", "=client_id", "conversation__owner__username"]
    search_help_text = "A turn's id, a client id or a user name"
    fields = readonly_fields = (
        "conversation", "position", "asked", "answered", "status", "outcome", "truncated", "error_code", "error_detail",
        "attempt", "lease_until", "client_id", "created_at", "settled_at", "model_calls",
    )  # fmt: skip

    def get_queryset(self, request: HttpRequest) -> QuerySet[Turn]:
        return super().get_queryset(request).prefetch_related("messages")

    @admin.display(ordering="conversation__owner__username")
    def person(self, turn: Turn) -> str:
        return str(turn.conversation.owner)

    @admin.display(description="message")
    def what_was_asked(self, turn: Turn) -> str:
        text = self._said(turn, Message.Role.PERSON)
        return text if len(text) <= 80 else f"{text[:79]}…"

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
        return next((message.text for message in turn.messages.all() if message.role == role), "")


@admin.register(Disclosure)
class DisclosureAdmin(admin.ModelAdmin[Disclosure]):
    list_display = ["at", "owner", "reason"]
    list_select_related = ["owner"]
    list_filter = ["reason", "at"]
    search_fields = ["owner__username"]
