"""Whatever happens to a key, in whatever order: the status is what the events say, and disputes are whole."""

from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ella.people.models import Person
from ledger.drafts import folded_object
from ledger.models import Fact, FactEvent, FactStatus, Tier
from ledger.refusals import InvalidFact
from ledger.services import assert_fact, make_anchor, retire, supersede
from tests.factories import PersonFactory

pytestmark = pytest.mark.django_db

KEYS = [("user", "job"), ("ellahome.exterior.door", "colour"), ("user", "likes")]
OBJECTS = ["red", "Red", "blue", "green"]
STEPS = st.lists(
    st.tuples(
        st.sampled_from(["assert", "assert", "assert", "anchor", "supersede", "retire"]),
        st.sampled_from(OBJECTS),
        st.sampled_from([tier for tier in Tier if tier is not Tier.CANON]),
        st.integers(0, 3),
    ),
    min_size=1,
    max_size=12,
)


def take(step: tuple[str, str, Tier, int], owner: Person, subject: str, predicate: str) -> None:
    what, object, tier, index = step
    key = {"subject": subject, "predicate": predicate}
    standing = list(Fact.objects.for_owner(owner).standing().order_by("created_at", "id"))
    if what == "assert":
        assert_fact(actor="test", owner=owner, tier=tier, **key, object=object, confidence=0.5, evidence="said")
    elif what == "anchor":
        make_anchor(actor="test", owner=owner, **key, object=object)
    elif standing and what == "supersede":
        supersede(actor="test", fact=standing[index % len(standing)], object=object, reason="by hand")
    elif standing:
        retire(actor="test", fact=standing[index % len(standing)], reason="by hand")


def replayed(facts: Sequence[Fact]) -> dict[Any, str]:
    """Each fact's status from its events alone, each of which must begin where the one before it ended."""
    status: dict[Any, str] = {fact.pk: "" for fact in facts}
    for event in FactEvent.objects.filter(fact__in=facts).order_by("id"):
        assert event.old_status == status[event.fact_id]
        status[event.fact_id] = event.new_status
    return status


@given(STEPS, st.sampled_from(KEYS))
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_order_of_events_leaves_a_whole_ledger(
    db: None, steps: list[tuple[str, str, Tier, int]], key: tuple[str, str]
) -> None:
    owner = PersonFactory.create()
    for step in steps:
        before = FactEvent.objects.count()
        try:
            take(step, owner, *key)
        except InvalidFact:
            assert FactEvent.objects.count() == before

    facts = list(Fact.objects.for_owner(owner))
    assert replayed(facts) == {fact.pk: fact.status for fact in facts}

    standing = [fact for fact in facts if fact.status in (FactStatus.ACTIVE, FactStatus.CONTESTED)]
    world = [fact for fact in standing if fact.tier != Tier.USER_CLAIM]
    disagree = key[1] != "likes" and len({folded_object(fact.object) for fact in world}) > 1
    assert {fact.status for fact in world} <= {FactStatus.CONTESTED if disagree else FactStatus.ACTIVE}
    assert all(fact.status == FactStatus.ACTIVE for fact in standing if fact.tier == Tier.USER_CLAIM)
    assert sum(fact.tier == Tier.CANON for fact in standing) <= 1
    said = [(folded_object(fact.object), fact.tier == Tier.USER_CLAIM) for fact in standing]
    assert len(said) == len(set(said))
    assert all(fact.true_until for fact in facts if fact.status == FactStatus.SUPERSEDED)
