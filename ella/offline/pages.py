"""One page of a list, as the provider's lists are paged: by the id of the row just outside the page."""

from collections.abc import Mapping, Sequence
from typing import Any

from ella.offline.errors import refuse

DEFAULT_LIMIT = 20
MAX_LIMIT = 1_000


def read_limit(value: str | None) -> int:
    """The `limit` of a query string, 1 to 1000."""
    if value is None:
        return DEFAULT_LIMIT
    if not value.isascii() or not value.isdigit() or not 1 <= int(value) <= MAX_LIMIT:
        refuse(f"limit: Input should be an integer from 1 to {MAX_LIMIT}")
    return int(value)


def page(
    rows: Sequence[Mapping[str, Any]], *, after_id: str | None, before_id: str | None, limit: int
) -> dict[str, Any]:
    """One page of a list in the provider's shape; `after_id` and `before_id` name the row just outside the page."""
    if after_id and before_id:
        refuse("only one of after_id and before_id may be given")
    ids = [row["id"] for row in rows]
    for cursor in (after_id, before_id):
        if cursor and cursor not in ids:
            refuse(f"the cursor {cursor} is not in this list")
    if before_id:
        end = ids.index(before_id)
        start = max(0, end - limit)
        has_more = start > 0
    else:
        start = ids.index(after_id) + 1 if after_id else 0
        end = min(len(rows), start + limit)
        has_more = end < len(rows)
    data = list(rows[start:end])
    return {
        "data": data,
        "has_more": has_more,
        "first_id": data[0]["id"] if data else None,
        "last_id": data[-1]["id"] if data else None,
    }
