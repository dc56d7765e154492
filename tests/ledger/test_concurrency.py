"""Two writers at once: no event is lost, a key never has two active canons, and a dispute is always whole."""

from collections import Counter
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from threading import Barrier
from typing import Any

import pytest
from django.db import connection

from ella.people.models import Person
from ledger.models import Fact, FactEvent, FactStatus, Promise, Relationship, Tier
from ledger.refusals import InvalidFact
from ledger.services import assert_fact, change_relationship, make_anchor, make_promise
from tests.factories import PersonFactory

pytestmark = pytest.mark.django_db(transaction=True)

WRITERS = 8


def at_once(works: Sequence[Callable[[], Any]]) -> list[Any]:
    """Every work in a thread of its own, begun together; what each returned, or the refusal it met."""
    begin = Barrier(len(works), timeout=30)

    def run(work: Callable[[], Any]) -> Any:
        try:
            begin.wait()
            return work()
        except InvalidFact as refusal:
            return refusal
        finally:
            connection.close()

    with ThreadPoolExecutor(len(works)) as pool:
        return list(pool.map(run, works, timeout=60))


def observe(owner: Person, object: str, subject: str = "ellahome.exterior.door", tier: Tier = Tier.OBSERVED) -> Any:
    return assert_fact(
        actor="test",
        owner=owner,
        tier=tier,
        subject=subject,
        predicate="colour",
        object=object,
        confidence=0.9,
        evidence="seen",
    )


def test_the_same_fact_told_by_many_at_once_is_one_row_and_every_telling_is_kept() -> None:
    owner = PersonFactory.create()
    outcomes = at_once([partial(observe, owner, "red")] * WRITERS)

    assert Counter(outcome.kind for outcome in outcomes) == {"new": 1, "corroborated": WRITERS - 1}
    assert Fact.objects.count() == 1
    assert FactEvent.objects.count() == WRITERS


def test_different_facts_of_one_key_told_at_once_are_all_disputed() -> None:
    owner = PersonFactory.create()
    at_once([partial(observe, owner, f"colour {number % 4}") for number in range(WRITERS)])

    assert sorted(Fact.objects.values_list("object", "status")) == [
        (f"colour {number}", FactStatus.CONTESTED) for number in range(4)
    ]
    kinds = Counter(FactEvent.objects.values_list("kind", flat=True))
    assert kinds == {"asserted": 4, "corroborated": WRITERS - 4, "contested": 4}


def test_a_persons_own_words_at_once_leave_one_standing_and_a_whole_chain() -> None:
    owner = PersonFactory.create()
    at_once([partial(observe, owner, f"colour {number}", "user.bicycle") for number in range(WRITERS)])

    assert Fact.objects.standing().count() == 1
    assert Fact.objects.filter(status=FactStatus.SUPERSEDED).count() == WRITERS - 1
    assert Fact.objects.filter(supersedes__isnull=False).values("supersedes").distinct().count() == WRITERS - 1
    assert FactEvent.objects.filter(kind="superseded").count() == WRITERS - 1


def test_anchors_made_at_once_leave_one_and_refuse_the_others() -> None:
    owner = PersonFactory.create()
    anchor = partial(make_anchor, actor="test", owner=owner, subject="companion", predicate="name")
    outcomes = at_once([partial(anchor, object=f"Hob {number}") for number in range(WRITERS)])

    assert sum(isinstance(outcome, InvalidFact) for outcome in outcomes) == WRITERS - 1
    assert Fact.objects.get().status == FactStatus.ACTIVE
    assert FactEvent.objects.count() == 1


def test_promises_made_at_once_have_numbers_of_their_own() -> None:
    owner = PersonFactory.create()
    promise = partial(make_promise, actor="test", owner=owner, from_who="Ella", to_who="Ana")
    at_once([partial(promise, what=f"bring thing{number}") for number in range(WRITERS)])
    assert sorted(Promise.objects.values_list("number", flat=True)) == list(range(1, WRITERS + 1))


def test_a_relationship_changed_at_once_has_one_current_state() -> None:
    owner = PersonFactory.create()
    change = partial(change_relationship, actor="test", owner=owner, from_who="Ella", to_who="Ana")
    at_once([partial(change, state=f"feels {number}") for number in range(WRITERS)])

    assert Relationship.objects.count() == WRITERS
    assert Relationship.objects.for_owner(owner).current().count() == 1
