import pytest
from django.test import Client

from ella.people.models import Person


@pytest.fixture
def browser(client: Client, person: Person) -> Client:
    """The browser of `person`, logged in."""
    client.force_login(person)
    return client
