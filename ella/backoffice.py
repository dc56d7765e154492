"""
The admin site: Django's own, under this house's name and with one rule for all of it: nothing is edited here. What
may be changed is changed by an action that calls a service, so every change has its audit row. An admin class that
has a reason to be a form says so with `editable = True`.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from django.contrib.admin import AdminSite, ModelAdmin
from django.contrib.auth.views import redirect_to_login
from django.core.exceptions import PermissionDenied
from django.db.models import Model
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect
from django.template.response import TemplateResponse
from django.urls import reverse

from ella.clock import utc_now
from ella.people.pages import LogoutPage, PasswordPage
from ella.people.requests import person_of
from ella.queues import piles


class ReadOnly:
    """Shown, never edited: no add, no change, no delete, whatever the account may do elsewhere."""

    def has_add_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False


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
        if not getattr(shown_as, "editable", False):
            shown_as = type(shown_as.__name__, (ReadOnly, shown_as), {})
        super().register(model_or_iterable, shown_as, **options)
