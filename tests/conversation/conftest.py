import pytest
from rest_framework.test import APIClient

from ella.people.models import Person
from tests.conversation.talking import Talk


@pytest.fixture
def talk(api: APIClient, person: Person) -> Talk:
    return Talk.of(api, person)
