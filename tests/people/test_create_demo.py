"""`manage.py create_demo`: two logins to try the house with, and never where real people may live."""

import json
from io import StringIO
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.test import Client
from pytest_django.fixtures import Settings

from ella.people.models import Person, PersonEvent

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def embedded(settings: Settings) -> None:
    """Whatever database the suite runs on."""
    settings.DATABASE_URL = settings.EMBEDDED_DATABASE_URL


def create_demo(*options: str) -> dict[str, Any]:
    out = StringIO()
    call_command("create_demo", "--json", *options, stdout=out)
    return {login["role"]: login for login in json.loads(out.getvalue())["logins"]}


def test_the_printed_logins_open_the_api_and_the_back_office() -> None:
    logins = create_demo()

    for role, page in (("person", "/api/v1/me"), ("moderator", "/admin/people/person/")):
        browser = Client()
        assert browser.login(username=logins[role]["username"], password=logins[role]["password"])
        assert browser.get(page).status_code == 200
    assert not Person.objects.get(username="demo").is_staff


def test_running_it_again_changes_nothing() -> None:
    create_demo()
    rows = (Person.objects.count(), PersonEvent.objects.count())

    logins = create_demo()

    assert (Person.objects.count(), PersonEvent.objects.count()) == rows
    assert [login["created"] for login in logins.values()] == [False, False]


def test_a_password_changed_since_is_not_printed_as_if_it_worked() -> None:
    create_demo()
    person = Person.objects.get(username="demo")
    person.set_password("another one entirely")
    person.save()
    out = StringIO()

    call_command("create_demo", stdout=out)

    assert "person: demo / (changed since)" in out.getvalue()
    assert "moderator: moderator / moderator-by-the-sea" in out.getvalue()


def test_it_refuses_where_real_people_may_live(settings: Settings) -> None:
    settings.DATABASE_URL = "postgres://ella@db.example.org/ella"
    settings.DEBUG = False

    with pytest.raises(CommandError, match="--force"):
        create_demo()
    assert not Person.objects.exists()

    create_demo("--force")
    assert Person.objects.count() == 2
