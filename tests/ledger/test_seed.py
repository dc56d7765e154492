"""The first anchors of a home world: the same for one seed, different between people, and never laid twice."""

from datetime import date

import pytest

from ella.people.models import Person
from ledger.models import Fact, FactEvent, Tier
from ledger.seed import drawn_anchors, seed_home
from ledger.services import supersede
from tests.factories import PersonFactory

pytestmark = pytest.mark.django_db

TODAY = date(2026, 12, 1)


def test_a_new_person_has_a_world_to_talk_about(person: Person) -> None:
    seed_home(actor="test", owner=person, seed="a")

    anchors = Fact.objects.for_owner(person).current()
    keys = {(fact.subject, fact.predicate) for fact in anchors}
    assert {fact.tier for fact in anchors} == {Tier.CANON}
    assert {
        ("ellahome.exterior.door", "colour"),
        ("ellahome.interior.kitchen", "layout"),
        ("companion", "species"),
        ("companion", "name"),
        ("companion", "birth_date"),
        ("world", "biome"),
    } < keys
    assert len(keys) >= 10
    assert set(FactEvent.objects.values_list("kind", flat=True)) == {"anchored"}


def test_seeding_again_changes_nothing_whatever_the_seed(person: Person) -> None:
    first = seed_home(actor="test", owner=person, seed="a")
    again = seed_home(actor="test", owner=person, seed="b")

    assert again == first
    assert FactEvent.objects.count() == len(first)


def test_an_anchor_that_was_replaced_stays_replaced(person: Person) -> None:
    seed_home(actor="test", owner=person, seed="a")
    door = Fact.objects.for_owner(person).history("ellahome.exterior.door", "colour").get()
    blue = supersede(actor="mod", fact=door, object="blue with white dots", reason="painted").fact

    assert blue in seed_home(actor="test", owner=person, seed="a")


def test_one_seed_draws_one_world_and_many_seeds_many() -> None:
    assert list(drawn_anchors("a", TODAY)) == list(drawn_anchors("a", TODAY))

    doors = {
        value
        for number in range(60)
        for subject, predicate, value in drawn_anchors(str(number), TODAY)
        if (subject, predicate) == ("ellahome.exterior.door", "colour")
    }
    worlds = {tuple(drawn_anchors(str(number), TODAY)) for number in range(60)}
    assert len(doors) >= 6
    assert len(worlds) == 60


def test_people_do_not_share_their_worlds(person: Person) -> None:
    other = PersonFactory.create()
    for owner in (person, other):
        seed_home(actor="test", owner=owner, seed=str(owner.pk))
    mine, theirs = (set(Fact.objects.for_owner(owner).values_list("object")) for owner in (person, other))
    assert mine != theirs


def test_every_value_that_can_be_drawn_is_a_fact_the_ledger_takes(db: None) -> None:
    for number in range(40):
        owner = PersonFactory.create()
        assert len(seed_home(actor="test", owner=owner, seed=str(number))) == len(list(drawn_anchors("", TODAY)))
