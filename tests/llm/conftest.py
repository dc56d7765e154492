from typing import Any

import pytest
from pytest_django.fixtures import Settings

from ella.llm.gateway import build_request
from ella.llm.models import Purpose


@pytest.fixture(autouse=True)
def short_pauses(settings: Settings) -> None:
    settings.MODEL_RETRIES = 2
    settings.MODEL_RETRY_CAP_S = 0.05


@pytest.fixture
def payload() -> dict[str, Any]:
    return build_request(
        Purpose.LIVE_REPLY,
        system=[{"type": "text", "text": "You are Ella."}],
        messages=[{"role": "user", "content": [{"type": "text", "text": "I put the phone away."}]}],
    )
