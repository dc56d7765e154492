"""What a moderator sees first."""

from __future__ import annotations

import re
from datetime import timedelta

import pytest
from django.apps import apps
from django.contrib.auth.models import Group
from django.test import Client
from pytest_django.fixtures import DjangoAssertNumQueries

from ella.clock import utc_now
from ella.conversation.models import Turn
from ella.people.groups import MODERATOR, ensure_groups
from ella.people.models import Person
from ella.queues import piles
from tests.conversation.talking import Talk
from tests.standin import StandIn


@pytest.fixture
def talk(api, person: Person) -> Talk:
    return Talk.of(api, person)


@pytest.fixture
def moderator(db: None) -> Person:
    ensure_groups(apps)
    account = Person.objects.create_user("moderator", "not-a-secret", display_name="Mo", is_staff=True)
    account.groups.add(Group.objects.get(name=MODERATOR))
    return account


def shown(page: str) -> dict[str, str]:
    found = re.findall(r"<strong>([^<]+)</strong> <span>([^<]+)</span>", page)
    return {what: number for number, what in found}


def test_what_lies_there_since_yesterday_is_counted(
    client: Client, moderator: Person, talk: Talk, standin: StandIn
) -> None:
    standin.fail("bad_request", times=2)
    talk.post("Not answered", "one")
    talk.post("Not answered either", "two")
    Turn.objects.filter(client_id="one").update(created_at=utc_now() - timedelta(days=2))
    talk.say("I want to kill myself")
    talk.say("Hello")
    client.force_login(moderator)
    page = client.get("/admin/").content.decode()
    assert "Hello, Mo." in page
    counted = shown(page)
    assert counted["turns not answered"] == "1"
    assert counted["boundary fires"] == "1"
    assert counted["things not remembered"] == "0"
    assert counted["spent on the model today (UTC)"] != "$0.00"


def test_every_number_leads_to_the_rows_it_counted(
    client: Client, moderator: Person, talk: Talk, standin: StandIn
) -> None:
    standin.fail("bad_request")
    talk.post("Not answered", "one")
    talk.say("I want to kill myself")
    talk.say("Hello")
    client.force_login(moderator)
    for pile in piles(moderator, utc_now()):
        answer = client.get(pile.url)
        assert answer.status_code == 200, pile
        if pile.number.isdecimal() and pile.what != "things not remembered":
            assert answer.context["cl"].result_count == int(pile.number)


def test_counting_takes_four_queries(
    moderator: Person, talk: Talk, standin: StandIn, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    talk.say("Hello")
    moderator.get_all_permissions()
    with django_assert_num_queries(4):
        piles(moderator, utc_now())


def test_somebody_who_may_read_none_of_it_sees_numbers_without_ways(client: Client, db: None) -> None:
    account = Person.objects.create_user("new", "not-a-secret", is_staff=True)
    client.force_login(account)
    page = client.get("/admin/").content.decode()
    assert shown(page)["boundary fires"] == "0"
    assert "boundaryfire" not in page
