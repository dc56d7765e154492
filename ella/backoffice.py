"""
The admin site: Django's own, under this house's name and with two rules for all of it. Nothing is edited here: what
may be changed is changed by an action that calls a service, so every change has its audit row; an admin class that has
a reason to be a form says so with `editable = True`. And nobody opens a row of a person unseen: every such look is
written into that person's events.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import structlog
from django.contrib.admin import AdminSite, ModelAdmin
from django.contrib.admin.views.main import ERROR_FLAG
from django.contrib.auth.views import redirect_to_login
from django.core.exceptions import PermissionDenied
from django.db.models import Model
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect
from django.template.response import TemplateResponse
from django.urls import reverse

from ella.clock import utc_now
from ella.people.models import Person
from ella.people.pages import LogoutPage, PasswordPage
from ella.people.requests import person_of
from ella.people.services import look_at
from ella.queues import piles

log = structlog.get_logger(__name__)


class ReadOnly:
    """Shown, never edited: no add, no change, no delete, whatever the account may do elsewhere."""

    def has_add_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False


class HouseAdmin(ModelAdmin[Any]):
    """What every page of the back-office does, mixed in before its own class."""

    show_full_result_count = False  # counting a whole table for every search is what makes a large one slow

    def changelist_view(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> HttpResponse:
        """A filter nobody could have clicked (a NUL, the year 99999) leads back to the whole list."""
        if any("\0" in value for _, values in request.GET.lists() for value in values):
            return redirect(f"{request.path}?{ERROR_FLAG}=1")
        try:
            return super().changelist_view(request, extra_context)
        except (ValueError, OverflowError) as fault:
            if not request.GET or ERROR_FLAG in request.GET:
                raise
            log.warning("filter_refused", path=request.path, fault=str(fault))
            return redirect(f"{request.path}?{ERROR_FLAG}=1")

    def render_change_form(
        self,
        request: HttpRequest,
        context: dict[str, Any],
        add: bool = False,
        change: bool = False,
        form_url: str = "",
        obj: Any = None,
    ) -> HttpResponse:
        """
        Write the look down before anything is shown. Here and not in `change_view`: this is given the very row that is
        about to be shown, and is reached only when there is a page of it.
        """
        person = None if obj is None else _person_behind(obj)
        if person is not None:
            look_at(actor=person_of(request).username, person=person, what=self.opts.label_lower, row_id=str(obj.pk))
        return super().render_change_form(request, context, add, change, form_url, obj)


class BackOffice(AdminSite):
    site_header = "Ella · back-office"
    site_title = "Ella"
    index_title = "What needs a person today"

    def index(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> TemplateResponse:
        counted = {"piles": piles(person_of(request), utc_now())} if self.has_permission(request) else {}
        return super().index(request, {**counted, **(extra_context or {})})

    # The pages' doors are the only ones: slowed down against guessing, and written down in the person's events.

    def login(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> HttpResponse:
        if self.has_permission(request):
            return redirect("admin:index")
        if request.user.is_authenticated:
            raise PermissionDenied
        return redirect_to_login(request.GET.get("next") or reverse("admin:index"))

    def logout(  # type: ignore[override] # a redirect, where Django shows a page
        self, request: HttpRequest, extra_context: dict[str, Any] | None = None
    ) -> HttpResponseBase:
        return LogoutPage.as_view()(request)

    def password_change(  # type: ignore[override] # a redirect, once it is changed
        self, request: HttpRequest, extra_context: dict[str, Any] | None = None
    ) -> HttpResponseBase:
        page = PasswordPage.as_view(
            success_url=reverse("admin:password_change_done"),
            extra_context={**self.each_context(request), **(extra_context or {})},
        )
        return page(request)

    def register(
        self,
        model_or_iterable: type[Model] | Iterable[type[Model]],
        admin_class: type[ModelAdmin[Any]] | None = None,
        **options: Any,
    ) -> None:
        shown_as = admin_class or ModelAdmin
        rules = (HouseAdmin,) if getattr(shown_as, "editable", False) else (ReadOnly, HouseAdmin)
        super().register(model_or_iterable, type(shown_as.__name__, (*rules, shown_as), {}), **options)


def _person_behind(row: Model) -> Person | None:
    """Whose row it is, directly or by its conversation; None for what belongs to nobody, and for a Person's own row."""
    for holder in (row, getattr(row, "conversation", None)):
        for name in ("owner", "person"):
            person = getattr(holder, name, None)
            if isinstance(person, Person):
                return person
    return None
