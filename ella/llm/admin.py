"""
Model calls, spending and learned limits for staff: to be read, never edited. The list loads no payloads; a call's own
page sets out what was sent, what was left out, what came back and what it cost (call_page.py).
"""

from __future__ import annotations

import uuid
from datetime import timedelta
from typing import Any, cast

from django.contrib import admin
from django.contrib.admin.views.main import ChangeList
from django.db.models import Q, QuerySet
from django.http import HttpRequest, HttpResponse
from django.utils import timezone

from ella.llm import call_page
from ella.llm.capabilities import TABLE
from ella.llm.errors import ErrorCode
from ella.llm.models import LearnedLimit, ModelCall, ModelCallQuerySet, Spend
from ella.llm.prices import usd_text
from ella.llm.purposes import Purpose, person_budget_nano_usd, purpose_config

_SLOW_FIRST_WORD_MS = 5_000
_DEAREST = 50


class QuestionFilter(admin.SimpleListFilter):
    """What somebody looking at calls wants to know, in their words."""

    title = "question"
    parameter_name = "question"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        return [
            ("dearest", f"The {_DEAREST} dearest of the last 24 hours"),
            ("unanswered", "Got no answer"),
            ("cut", "Were cut short"),
            ("slow", f"Made somebody wait over {_SLOW_FIRST_WORD_MS // 1000} seconds"),
            ("cache", "Read nothing from the cache"),
            ("left_out", "Left something out of the prompt"),
            ("waiting", "Are still waiting"),
        ]

    def queryset(self, request: HttpRequest, queryset: QuerySet[ModelCall]) -> QuerySet[ModelCall]:
        status = ModelCall.Status
        match self.value():
            case "dearest":
                recent = queryset.filter(started_at__gte=timezone.now() - timedelta(days=1))
                return queryset.filter(pk__in=recent.order_by("-cost_nano_usd").values("pk")[:_DEAREST])
            case "unanswered":
                return queryset.filter(status__in=[status.FAILED, status.LOST])
            case "cut":
                cut = [ErrorCode.CUT_OFF, ErrorCode.TRUNCATED, ErrorCode.STREAM_ERROR]
                return queryset.filter(Q(stop_reason="max_tokens") | Q(error_code__in=cut))
            case "slow":
                return queryset.filter(first_token_ms__gte=_SLOW_FIRST_WORD_MS)
            case "cache":
                return queryset.filter(status=status.DONE, cache_read_tokens=0)
            case "left_out":
                return queryset.exclude(left_out=[])
            case "waiting":
                return queryset.filter(status=status.STARTED)
        return queryset


class ModelFilter(admin.SimpleListFilter):
    """From the table and the settings: asking a hundred thousand rows which models they name would be slow."""

    title = "model"
    parameter_name = "model"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        names = {*TABLE, *(purpose_config(purpose).model for purpose in Purpose)}
        return [(name, name) for name in sorted(names)]

    def queryset(self, request: HttpRequest, queryset: QuerySet[ModelCall]) -> QuerySet[ModelCall]:
        return queryset.filter(model=self.value()) if self.value() else queryset


class CallList(ChangeList):
    def get_queryset(self, request: HttpRequest, exclude_parameters: Any = None) -> ModelCallQuerySet:
        return cast("ModelCallQuerySet", super().get_queryset(request, exclude_parameters)).without_texts()


@admin.register(ModelCall)
class ModelCallAdmin(admin.ModelAdmin[ModelCall]):
    list_display = [
        "started_at",
        "purpose",
        "model",
        "went",
        "owner",
        "tokens",
        "cached",
        "cost",
        "waited",
    ]
    list_select_related = ["owner"]
    list_filter = [QuestionFilter, "purpose", ModelFilter, "status", "started_at"]
    search_fields = ["request_id"]
    search_help_text = "An id of a call, a turn, a person or a provider request; a user name; an error code"
    list_per_page = 50
    fields = ["purpose"]  # the page is its template's

    def get_changelist(self, request: HttpRequest, **kwargs: Any) -> type[ChangeList]:
        return CallList

    def get_search_results(
        self, request: HttpRequest, queryset: QuerySet[ModelCall], search_term: str
    ) -> tuple[QuerySet[ModelCall], bool]:
        term = search_term.strip()
        if not term:
            return queryset, False
        try:
            key = uuid.UUID(term)
        except ValueError:
            return queryset.filter(Q(owner__username__iexact=term) | Q(request_id=term) | Q(error_code=term)), False
        return queryset.filter(Q(pk=key) | Q(turn_id=key) | Q(owner_id=key)), False

    def change_view(
        self, request: HttpRequest, object_id: str, form_url: str = "", extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        call = self.get_object(request, object_id)
        context = {} if call is None else _page(call)
        return super().change_view(request, object_id, form_url, {**context, **(extra_context or {})})

    @admin.display(description="went", ordering="status")
    def went(self, call: ModelCall) -> str:
        return call.get_error_code_display() or call.get_status_display()

    @admin.display(description="in / out", ordering="input_tokens")
    def tokens(self, call: ModelCall) -> str:
        return f"{call.usage.prompt_tokens:,} / {call.output_tokens:,}"

    @admin.display(description="cached", ordering="cache_read_tokens")
    def cached(self, call: ModelCall) -> str:
        percent = call_page.cached_percent(call)
        return "" if percent is None else f"{percent}%"

    @admin.display(description="cost", ordering="cost_nano_usd")
    def cost(self, call: ModelCall) -> str:
        return usd_text(call.cost_nano_usd)

    @admin.display(description="waited", ordering="duration_ms")
    def waited(self, call: ModelCall) -> str:
        """For the first word, and for the last."""
        return f"{_seconds(call.first_token_ms) or '–'} / {_seconds(call.duration_ms) or '–'}"


@admin.register(Spend)
class SpendAdmin(admin.ModelAdmin[Spend]):
    list_display = ["day", "whose", "spent", "held_back", "of_the_day"]
    list_display_links = None
    list_select_related = ["owner"]
    list_filter = ["day"]
    search_fields = ["subject", "owner__username"]
    search_help_text = "A user name or a purpose"

    @admin.display(description="who or what for", ordering="subject")
    def whose(self, spend: Spend) -> str:
        return str(spend.owner or spend.subject.partition(":")[2].replace("_", " "))

    @admin.display(description="spent", ordering="spent_nano_usd")
    def spent(self, spend: Spend) -> str:
        return usd_text(spend.spent_nano_usd)

    @admin.display(description="held back", ordering="reserved_nano_usd")
    def held_back(self, spend: Spend) -> str:
        return usd_text(spend.reserved_nano_usd)

    @admin.display(description="of the day's budget")
    def of_the_day(self, spend: Spend) -> str:
        kind, _, name = spend.subject.partition(":")
        if kind == "purpose" and name not in Purpose:
            return ""  # a purpose this version no longer has
        budget = person_budget_nano_usd() if kind == "person" else purpose_config(name).daily_budget_nano_usd
        return f"{100 * spend.spent_nano_usd / budget:.0f}% of {usd_text(budget)}" if budget else "none allowed"


@admin.register(LearnedLimit)
class LearnedLimitAdmin(admin.ModelAdmin[LearnedLimit]):
    list_display = ["model", "limit", "learned_at", "message"]
    list_display_links = None


def _page(call: ModelCall) -> dict[str, Any]:
    """What the call's template shows."""
    return {
        "call": call,
        "sections": call_page.sections_of(call),
        "omissions": call_page.omissions_of(call),
        "answer": call_page.answer_of(call),
        "price_rows": call_page.price_rows_of(call),
        "priced_differently": call_page.priced_differently(call),
        "cached_percent": call_page.cached_percent(call),
        "cost": usd_text(call.cost_nano_usd),
        "reserved": usd_text(call.reserved_nano_usd),
        "first_word": _seconds(call.first_token_ms),
        "whole": _seconds(call.duration_ms),
        "payload_json": call_page.pretty(call.payload),
        "answer_json": call_page.pretty(call.answer),
    }


def _seconds(ms: int | None) -> str:
    return "" if ms is None else f"{ms / 1000:.2f} s"
