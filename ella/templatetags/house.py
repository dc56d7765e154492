"""What every page says of the house it stands in. It asks no database and no request: error pages use it too."""

from __future__ import annotations

from django import template
from django.conf import settings

register = template.Library()


@register.simple_tag
def model_connected() -> bool:
    """False while a stand-in writes her words, which every page then says."""
    return bool(settings.MODEL_CONNECTED)
