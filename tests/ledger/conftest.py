"""A person with an empty ledger, and short ways to write in it that still go through the services."""

from collections.abc import Callable
from typing import Any

import pytest

from ella.people.models import Person
from ledger.models import Tier
from ledger.services import FactOutcome, assert_fact, make_anchor
from tests.factories import PersonFactory

Hold = Callable[..., FactOutcome]


@pytest.fixture
def person(db: None) -> Person:
    return PersonFactory.create()


@pytest.fixture
def hold(person: Person) -> Hold:
    """`hold("user", "job", "nurse")`: told by the person, unless a tier is named; `tier=Tier.CANON` makes an anchor."""

    def hold(subject: str, predicate: str, object: str, tier: Tier = Tier.OBSERVED, **more: Any) -> FactOutcome:
        about = {"subject": subject, "predicate": predicate, "object": object}
        if tier is Tier.CANON:
            return make_anchor(actor="test", owner=person, **about, **more)
        said = {"confidence": 0.8, "evidence": f"it is {object}"} | more
        return assert_fact(actor="test", owner=person, tier=tier, **about, **said)

    return hold
