"""
Cursor pagination for every list of the API: a page stays itself while rows arrive, and page 10,000 costs what page 1
costs.
"""

from __future__ import annotations

from typing import Any, TypeVar, cast

from django.core.exceptions import ValidationError
from django.db import connections
from django.db.models import Field, Model, QuerySet
from rest_framework.exceptions import NotFound
from rest_framework.exceptions import ValidationError as RefusedByField
from rest_framework.pagination import CursorPagination
from rest_framework.request import Request
from rest_framework.views import APIView

M = TypeVar("M", bound=Model)


class OwnCursor(CursorPagination):
    """Lists by `ordering`, one column. A cursor this server never gave out is 404; DRF would let the database choke."""

    ordering: str
    page_size_query_param = "page_size"
    max_page_size = 200
    page_size_query_description = f"How many, at most {max_page_size}."

    def get_page_size(self, request: Request) -> int | None:
        written = request.query_params.get(self.page_size_query_param)
        if written is not None and not (written.isascii() and written.isdigit() and int(written[:9]) > 0):
            raise RefusedByField({self.page_size_query_param: "A whole number, 1 or more."})
        return super().get_page_size(request)

    def paginate_queryset(  # type: ignore[override] # a list in memory has no columns to check
        self, queryset: QuerySet[M], request: Request, view: APIView | None = None
    ) -> list[M] | None:
        cursor = self.decode_cursor(request)
        if cursor is not None and cursor.position is not None:
            column = cast(Field[Any, Any], queryset.model._meta.get_field(self.ordering.lstrip("-")))
            try:
                column.get_db_prep_value(column.to_python(cursor.position), connections[queryset.db])
            except (ValidationError, ValueError, OverflowError):
                raise NotFound(self.invalid_cursor_message) from None
        return super().paginate_queryset(queryset, request, view)


class NewestFirst(OwnCursor):
    ordering = "-created_at"
