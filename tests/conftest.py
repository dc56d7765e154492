"""What every test may use: the stand-in model server, and the certainty that no test ever reaches the real provider."""

from collections.abc import Iterator

import pytest
from pytest_django.fixtures import Settings

from tests.standin import StandIn

# The discard port of this machine: a call that forgot its stand-in is refused at once.
NOWHERE = "http://127.0.0.1:9"


@pytest.fixture(autouse=True)
def no_real_provider(settings: Settings) -> None:
    settings.ANTHROPIC_API_KEY = ""
    settings.MODEL_BASE_URL = settings.OFFLINE_MODEL_URL = NOWHERE
    settings.MODEL_CONNECTED = False


@pytest.fixture(scope="session")
def running_standin() -> Iterator[StandIn]:
    """One server for each test process, on a port of its own."""
    with StandIn() as standin:
        yield standin


@pytest.fixture
def standin(running_standin: StandIn, settings: Settings, no_real_provider: None) -> StandIn:
    """The model server as if new, with the house pointed at it."""
    running_standin.reset()
    settings.MODEL_BASE_URL = settings.OFFLINE_MODEL_URL = running_standin.url
    return running_standin
