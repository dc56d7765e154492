"""The real SDK, pointed at the stand-in of this test process."""

from collections.abc import AsyncIterator, Iterator

import anthropic
import pytest
import pytest_asyncio

from tests.standin import StandIn


@pytest.fixture
def sdk(standin: StandIn) -> Iterator[anthropic.Anthropic]:
    """Without its retries, so that a test sees the first answer."""
    with anthropic.Anthropic(api_key=standin.api_key, base_url=standin.url, max_retries=0, timeout=10.0) as client:
        yield client


@pytest_asyncio.fixture
async def async_sdk(standin: StandIn) -> AsyncIterator[anthropic.AsyncAnthropic]:
    async with anthropic.AsyncAnthropic(
        api_key=standin.api_key, base_url=standin.url, max_retries=0, timeout=10.0
    ) as client:
        yield client
