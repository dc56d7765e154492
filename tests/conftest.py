"""
What every test has: a database like the real one, the stand-in model server, people with a login, and no way to the
real provider.
"""

from collections.abc import Iterator

import pytest
from django.db import connections
from pytest_django.fixtures import Settings
from rest_framework.test import APIClient
from rest_framework.throttling import SimpleRateThrottle

from config.celery import app as celery_app
from ella.people import services
from ella.people.models import Person
from ella.people.registration import register
from tests.standin import StandIn

# The discard port of this machine: a call that forgot its stand-in is refused at once.
NOWHERE = "http://127.0.0.1:9"
PASSWORD = "gulls-over-the-quay-7"


@pytest.fixture(scope="session")
def django_db_modify_db_settings(
    django_db_modify_db_settings_parallel_suffix: None, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """
    SQLite tests use a file, as the house does. Django's in-memory default shares one cache between threads, whose locks
    do not wait: two writers at once would fail in a test and queue up in life.
    """
    default = connections["default"]
    if default.vendor == "sqlite":
        default.settings_dict["TEST"]["NAME"] = str(tmp_path_factory.mktemp("database") / "ella.sqlite3")


@pytest.fixture(scope="session", autouse=True)
def no_worker_of_somebody_else() -> None:
    """A nudge of a test reaches no worker: neither one started beside it nor, later, one that finds it in a folder."""
    celery_app.conf.broker_url = "memory://"


@pytest.fixture(autouse=True)
def no_real_provider(settings: Settings) -> None:
    settings.ANTHROPIC_API_KEY = ""
    settings.MODEL_BASE_URL = settings.OFFLINE_MODEL_URL = NOWHERE
    settings.MODEL_CONNECTED = False


@pytest.fixture(autouse=True)
def one_thread(settings: Settings) -> None:
    """A turn's database steps run in the test's own thread, and so inside its transaction."""
    settings.DATABASE_THREADS = 0


@pytest.fixture(autouse=True)
def quick_passwords(settings: Settings) -> None:
    settings.PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]


@pytest.fixture(autouse=True)
def lavish_throttles(monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    """Every rate, too high to be met. A test of a throttle sets its own in here, from an address of its own."""
    rates = dict.fromkeys(SimpleRateThrottle.THROTTLE_RATES, "1000000/min")
    monkeypatch.setattr(SimpleRateThrottle, "THROTTLE_RATES", rates)
    return rates


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


@pytest.fixture
def person(db: None) -> Person:
    """Somebody with a home and a first conversation, as registration leaves them."""
    return register(actor="test", username="nour", password=PASSWORD, display_name="Nour", timezone="Europe/Lisbon")


@pytest.fixture
def other_person(db: None) -> Person:
    return register(actor="test", username="teo", password=PASSWORD, display_name="Teo")


@pytest.fixture
def api(person: Person) -> APIClient:
    """A client logged in as `person`, by a token."""
    return client_of(person)


@pytest.fixture
def other_api(other_person: Person) -> APIClient:
    return client_of(other_person)


def client_of(person: Person) -> APIClient:
    client = APIClient()
    login = services.log_in(actor=person.username, person=person, device="test")
    client.credentials(HTTP_AUTHORIZATION=f"Token {login.token}")
    return client
