"""
The admin site: Django's own, under this house's name and with one rule for all of it: nothing is edited here. What
may be changed is changed by an action that calls a service, so every change has its audit row. An admin class that
has a reason to be a form says so with `editable = True`.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from django.contrib.admin import AdminSite, ModelAdmin
from django.db.models import Model
from django.http import HttpRequest


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
