"""The real SDK, pointed at the stand-in of this test process."""

from collections.abc import AsyncIterator, Iterator

import anthropic
import pytest
import pytest_asyncio

from tests.standin import StandIn


@pytest.fixture(scope="session")
def shared_sdk(running_standin: StandIn) -> Iterator[anthropic.Anthropic]:
    """Made once: most of a new client's time goes into reading certificates that nobody here needs."""
    with anthropic.Anthropic(
        api_key=running_standin.api_key, base_url=running_standin.url, max_retries=0, timeout=10.0
    ) as client:
        yield client


@pytest.fixture
def sdk(standin: StandIn, shared_sdk: anthropic.Anthropic) -> anthropic.Anthropic:
    """Without its retries, so that a test sees the first answer."""
    return shared_sdk


@pytest_asyncio.fixture
async def async_sdk(standin: StandIn) -> AsyncIterator[anthropic.AsyncAnthropic]:
    async with anthropic.AsyncAnthropic(
        api_key=standin.api_key, base_url=standin.url, max_retries=0, timeout=10.0
    ) as client:
        yield client
