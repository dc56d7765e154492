"""One stand-in for each test process, as new for each test, and the real SDK pointed at it."""

from collections.abc import AsyncIterator, Iterator

import anthropic
import pytest
import pytest_asyncio

from tests.standin import StandIn


@pytest.fixture(scope="session")
def running_standin() -> Iterator[StandIn]:
    with StandIn() as standin:
        yield standin


@pytest.fixture
def standin(running_standin: StandIn) -> StandIn:
    running_standin.reset()
    return running_standin


@pytest.fixture
def client(standin: StandIn) -> Iterator[anthropic.Anthropic]:
    """The SDK without its retries, so that a test sees the first answer."""
    with anthropic.Anthropic(api_key=standin.api_key, base_url=standin.url, max_retries=0, timeout=10.0) as client:
        yield client


@pytest_asyncio.fixture
async def async_client(standin: StandIn) -> AsyncIterator[anthropic.AsyncAnthropic]:
    async with anthropic.AsyncAnthropic(
        api_key=standin.api_key, base_url=standin.url, max_retries=0, timeout=10.0
    ) as client:
        yield client
