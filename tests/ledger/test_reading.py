"""What holds now, what ever held, what was true when, and what was believed then."""

from datetime import UTC, datetime, timedelta

import pytest
import time_machine

from ella.people.models import Person
from ledger.models import Fact, Tier
from ledger.services import retire, supersede
from tests.factories import PersonFactory
from tests.ledger.conftest import Hold

pytestmark = pytest.mark.django_db

MONDAY = datetime(2026, 11, 30, 12, tzinfo=UTC)
DOOR = ("ellahome.exterior.door", "colour")


def day(number: int) -> datetime:
    return MONDAY + timedelta(days=number)


def colours(person: Person, moment: datetime, known_at: datetime | None = None) -> list[str]:
    return [fact.object for fact in Fact.objects.for_owner(person).as_of(moment, known_at)]


@pytest.fixture
def painted(person: Person, hold: Hold) -> Fact:
    """Red from Monday on; on Friday it is told that it was painted blue on Wednesday."""
    with time_machine.travel(day(0), tick=False):
        red = hold(*DOOR, "red", Tier.CANON).fact
    with time_machine.travel(day(4), tick=False):
        return supersede(actor="mod", fact=red, object="blue", reason="painted", true_from=day(2)).fact


def test_what_was_true_follows_the_world_and_not_when_it_was_told(person: Person, painted: Fact) -> None:
    assert colours(person, day(-1)) == []
    assert colours(person, day(1)) == ["red"]
    assert colours(person, day(3)) == ["blue"]
    assert colours(person, day(9)) == ["blue"]


def test_what_was_believed_follows_when_it_was_told(person: Person, painted: Fact) -> None:
    assert colours(person, day(3), known_at=day(3)) == ["red"]
    assert colours(person, day(3), known_at=day(5)) == ["blue"]
    assert colours(person, day(1), known_at=day(5)) == ["red"]
    assert colours(person, day(3), known_at=day(-1)) == []


def test_what_was_withdrawn_was_never_true_but_had_been_believed(person: Person, hold: Hold) -> None:
    with time_machine.travel(day(0), tick=False):
        job = hold("user", "job", "spy").fact
    with time_machine.travel(day(2), tick=False):
        retire(actor="test", fact=job, reason="a joke")

    assert colours(person, day(1)) == []
    assert colours(person, day(1), known_at=day(1)) == ["spy"]
    assert colours(person, day(1), known_at=day(3)) == []


def test_what_ended_was_true_until_then(person: Person, hold: Hold) -> None:
    with time_machine.travel(day(0), tick=False):
        job = hold("user", "job", "nurse", true_from=day(-300)).fact
    with time_machine.travel(day(4), tick=False):
        retire(actor="test", fact=job, reason="resigned", ended_at=day(3))

    assert colours(person, day(-100)) == ["nurse"]
    assert colours(person, day(2)) == ["nurse"]
    assert colours(person, day(3)) == []


def test_the_history_of_a_key_is_whole_and_in_order_whatever_words_ask_for_it(person: Person, painted: Fact) -> None:
    history = Fact.objects.for_owner(person).history("EllaHome.exterior.door", "color")
    assert [(fact.object, fact.status) for fact in history] == [("red", "superseded"), ("blue", "active")]


def test_nothing_of_another_person_or_scope_is_read(person: Person, hold: Hold) -> None:
    hold("user", "job", "nurse")
    hold("user", "job", "spy", scope="live:1")

    assert [fact.object for fact in Fact.objects.for_owner(person).current()] == ["nurse"]
    assert [fact.object for fact in Fact.objects.for_owner(person.pk, "live:1").current()] == ["spy"]
    assert not Fact.objects.for_owner(PersonFactory.create()).current().exists()


def test_every_read_is_one_query(person: Person, painted: Fact, django_assert_num_queries: object) -> None:
    mine = Fact.objects.for_owner(person)
    for facts in (
        mine.current().by_rank(),
        mine.history(*DOOR),
        mine.as_of(day(3)),
        mine.as_of(day(3), known_at=day(3)),
    ):
        with django_assert_num_queries(1):  # type: ignore[operator]
            list(facts)


def test_the_order_of_rank_is_authority_then_confidence_then_the_newest(person: Person, hold: Hold) -> None:
    hold("user", "likes", "inferred", Tier.INFERRED, confidence=1)
    hold("user", "likes", "sure", confidence=0.9)
    hold("user", "likes", "older", confidence=0.5)
    hold("user", "likes", "newer", confidence=0.5)
    hold("companion", "name", "Hob", Tier.CANON)

    ranked = [fact.object for fact in Fact.objects.for_owner(person).current().by_rank()]
    assert ranked == ["Hob", "sure", "newer", "older", "inferred"]
