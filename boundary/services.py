"""What may be written down about a boundary: that it fired. Every write of this app is here."""

from __future__ import annotations

import uuid

from django.db import transaction

from boundary.models import BoundaryFire
from boundary.replying import Reply
from boundary.verdict import Category, Direction, Verdict

_NOT_STORABLE = dict.fromkeys((0, *range(0xD800, 0xE000)), "\N{REPLACEMENT CHARACTER}")


@transaction.atomic
def record_fire(
    *,
    actor: str,
    owner_id: uuid.UUID,
    turn_id: uuid.UUID,
    direction: Direction,
    verdict: Verdict,
    text: str,
    reply: Reply | None,
) -> BoundaryFire:
    """
    Record what `verdict` found in `text` and the reply given for it, if one was (a soft verdict has none).

    Once per turn, direction and category: a turn that is resumed gets the row it has, unchanged. NUL and lone
    surrogates, which PostgreSQL cannot hold, are stored as U+FFFD, one for one, so that spans stay true. Raises
    ValueError for a verdict that found nothing.
    """
    if verdict.category is Category.OK:
        raise ValueError("Nothing was found, so there is nothing to record.")
    span_start, span_end = verdict.span or (None, None)
    fire, _ = BoundaryFire.objects.get_or_create(
        turn_id=turn_id,
        direction=direction.value,
        category=verdict.category.value,
        defaults={
            "actor": actor,
            "owner_id": owner_id,
            "soft": verdict.soft,
            "rules": list(verdict.rules),
            "span_start": span_start,
            "span_end": span_end,
            "text": text.translate(_NOT_STORABLE),
            "reply_text": reply.text if reply else "",
            "reply_text_id": reply.text_id if reply else "",
        },
    )
    return fire
