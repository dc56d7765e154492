"""
Cursor pagination for every list of the API: a page stays itself while rows arrive, and page 10,000 costs what page 1
costs.
"""

from rest_framework.pagination import CursorPagination


class NewestFirst(CursorPagination):
    ordering = "-created_at"
    page_size_query_param = "page_size"
    max_page_size = 200
