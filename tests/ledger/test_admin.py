"""
The ledgers in the back-office: readable, searchable, as many queries for a hundred rows as for one, and nothing to
change.
"""

from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from ella.people.models import Person
from ledger.models import Fact, Promise, Relationship, Tier
from ledger.services import change_relationship, make_promise, supersede
from selflog.models import SelfLogEntry
from selflog.services import log_thought
from tests.factories import PersonFactory
from tests.ledger.conftest import Hold

pytestmark = pytest.mark.django_db

MODELS = ("ledger_fact", "ledger_promise", "ledger_relationship", "selflog_selflogentry")


@pytest.fixture
def staff(client: Client) -> Client:
    client.force_login(PersonFactory.create(is_staff=True, is_superuser=True))
    return client


def fill(owner: Person, hold: Hold, number: int) -> None:
    fact = hold("world.bakery", "sells", f"bread {number}").fact
    make_promise(actor="test", owner=owner, from_who="Ella", to_who="Ana", what=f"bring bread{number}")
    change_relationship(actor="test", owner=owner, from_who="Ella", to_who=f"Ana {number}", state="is fond of her")
    log_thought(actor="test", owner=owner, said_at=fact.created_at, content=f"I baked loaf {number}.", based_on=[fact])


@pytest.mark.parametrize("model", MODELS)
def test_a_list_asks_as_often_for_many_rows_as_for_one(
    staff: Client, person: Person, hold: Hold, model: str, django_assert_max_num_queries: Any
) -> None:
    url = reverse(f"admin:{model}_changelist")
    fill(person, hold, 0)
    with django_assert_max_num_queries(30) as one:
        assert staff.get(url).status_code == 200
    for number in range(1, 12):
        fill(person, hold, number)
    with django_assert_max_num_queries(len(one)):
        assert "12" in staff.get(url).content.decode()


@pytest.mark.parametrize("model", MODELS)
def test_a_row_is_shown_and_has_nothing_to_save(staff: Client, person: Person, hold: Hold, model: str) -> None:
    fill(person, hold, 0)
    table = {"fact": Fact, "promise": Promise, "relationship": Relationship, "selflogentry": SelfLogEntry}
    row = table[model.split("_")[1]].objects.get()

    page = staff.get(reverse(f"admin:{model}_change", args=[row.pk]))
    assert page.status_code == 200
    assert b'name="_save"' not in page.content
    assert staff.post(reverse(f"admin:{model}_delete", args=[row.pk]), {"post": "yes"}).status_code == 403
    assert staff.get(reverse(f"admin:{model}_add")).status_code == 403
    assert type(row).objects.count() == 1


def test_a_facts_page_tells_what_happened_to_it_in_bounded_queries(
    staff: Client, hold: Hold, django_assert_max_num_queries: Any
) -> None:
    red = hold("ellahome.exterior.door", "colour", "red", Tier.CANON).fact
    url = reverse("admin:ledger_fact_change", args=[red.pk])
    with django_assert_max_num_queries(30) as before:
        staff.get(url)
    for _ in range(5):
        hold("ellahome.exterior.door", "colour", "red", Tier.USER_CLAIM)
    hold("ellahome.exterior.door", "colour", "green")
    supersede(actor="mod", fact=red, object="blue", reason="painted over on Tuesday")

    with django_assert_max_num_queries(len(before)):
        page = staff.get(url).content.decode()
    assert "painted over on Tuesday" in page
    assert "superseded" in page
    assert "ellahome.exterior.door · colour = blue" in page


@pytest.mark.parametrize("words", ["bakery", "bread 3", "person"])
def test_a_fact_is_found_by_its_words_or_its_person(staff: Client, hold: Hold, words: str) -> None:
    hold("world.bakery", "sells", "bread 3")
    page = staff.get(reverse("admin:ledger_fact_changelist"), {"q": words})
    assert "bread 3" in page.content.decode()
    assert "bread 3" not in staff.get(reverse("admin:ledger_fact_changelist"), {"q": "zebra"}).content.decode()
