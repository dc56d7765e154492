"""
What models turned out not to accept. The table (capabilities.py) is what the provider says; a 400 is what it does,
and it is remembered so that it is met once.
"""

from __future__ import annotations

from ella.llm.capabilities import capabilities
from ella.llm.errors import LayoutNotAccepted
from ella.llm.models import Layout, LearnedLimit

_NO_SYSTEM = LearnedLimit.Limit.NO_MID_CONVERSATION_SYSTEM


def layout_for(model: str) -> Layout:
    """The layout this model is to be asked in."""
    if not capabilities(model).mid_conversation_system:
        return Layout.SYSTEM_TAIL
    if LearnedLimit.objects.filter(model=model, limit=_NO_SYSTEM).exists():
        return Layout.SYSTEM_TAIL
    return Layout.MID_CONVERSATION


def remember_limit(*, model: str, error: LayoutNotAccepted) -> None:
    """From now on `layout_for(model)` is the other one. Twice changes nothing."""
    LearnedLimit.objects.bulk_create(
        [LearnedLimit(model=model, limit=_NO_SYSTEM, message=error.detail[:500])], ignore_conflicts=True
    )
