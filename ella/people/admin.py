"""
People for a moderator: read, found, and followed through what happened to their account. Who may log in and work here
is the one thing changed on this page, by a service, and only by those who may.

No password, token or anything derived from one is ever shown.
"""

from __future__ import annotations

from django.contrib import admin
from django.db.models import QuerySet
from django.forms import ModelForm
from django.forms.models import BaseInlineFormSet
from django.http import HttpRequest

from ella.backoffice import ReadOnly
from ella.people.models import Person, PersonEvent
from ella.people.requests import person_of
from ella.people.services import change_access

EVENTS_SHOWN = 20
_ACCESS = ("is_active", "is_staff", "groups")


class NewestEvents(BaseInlineFormSet[PersonEvent, Person, ModelForm[PersonEvent]]):
    """The newest events only: an account's history can be long, and its page is read often."""

    def get_queryset(self) -> QuerySet[PersonEvent]:
        if not hasattr(self, "_newest"):
            self._newest = super().get_queryset()[:EVENTS_SHOWN]
        return self._newest


class PersonEventInline(ReadOnly, admin.TabularInline[PersonEvent, Person]):
    model = PersonEvent
    formset = NewestEvents
    fields = ("at", "kind", "actor", "detail")
    readonly_fields = fields
    extra = 0
    verbose_name_plural = f"the last {EVENTS_SHOWN} things that happened to this account"


@admin.register(Person)
class PersonAdmin(admin.ModelAdmin[Person]):
    editable = True  # who may log in and work here; everything else on the form is shown only
    list_display = (
        "username",
        "display_name",
        "country",
        "timezone",
        "language",
        "is_staff",
        "created_at",
        "last_login",
    )
    list_filter = ("is_staff", "is_active", "groups", "language", "created_at", "last_login")
    search_fields = ("username", "display_name", "=id")
    search_help_text = "A user name, a name, or a whole id"
    date_hierarchy = "created_at"
    ordering = ("-created_at",)
    filter_horizontal = ("groups",)
    readonly_fields = (
        "id",
        "username",
        "display_name",
        "timezone",
        "country",
        "language",
        "birth_date",
        "created_at",
        "last_login",
        "is_superuser",
    )
    fieldsets = (
        (None, {"fields": ("username", "display_name", "id", "created_at", "last_login")}),
        ("Profile", {"fields": ("timezone", "country", "language", "birth_date")}),
        ("May", {"fields": (*_ACCESS, "is_superuser")}),
    )
    inlines = (PersonEventInline,)

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Person | None = None) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Person | None = None) -> bool:
        """Nobody decides over themselves, and only a superuser over a superuser: the service refuses it too."""
        if not super().has_change_permission(request, obj):
            return False
        actor = person_of(request)
        return obj is None or (obj.pk != actor.pk and (actor.is_superuser or not obj.is_superuser))

    def save_model(self, request: HttpRequest, obj: Person, form: ModelForm[Person], change: bool) -> None:
        chosen = {name: form.cleaned_data[name] for name in _ACCESS}
        change_access(actor=person_of(request), person=obj, **chosen)
