"""How one feels towards another stays as it was written until it changes."""

from datetime import UTC, datetime
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from django.db import IntegrityError, transaction

from ella.people.models import Person
from ledger.models import Relationship, RelationshipEvent, RelationshipStatus
from ledger.refusals import InvalidRelationship, Reason
from ledger.relating import relationship_lines
from ledger.services import RelationshipOutcome, change_relationship

pytestmark = pytest.mark.django_db

LATE = datetime(2026, 11, 30, 23, 30, tzinfo=UTC)


def felt(owner: Person, state: str = "feels closer since she spoke of her mother", **more: Any) -> RelationshipOutcome:
    said = {"from_who": "Ella", "to_who": "Ana", "since": LATE} | more
    return change_relationship(actor="test", owner=owner, state=state, **said)


def test_a_line_is_word_for_word_and_tells_the_day_on_the_persons_clock(person: Person) -> None:
    closer = felt(person, cause="she trusted me with it").relationship
    (line,) = relationship_lines([closer], ZoneInfo("Europe/Berlin"))
    assert line.text == (
        "- Ella → Ana: «feels closer since she spoke of her mother»"
        " · because «she trusted me with it» · since 2026-12-01"
    )
    assert line.relationship_id == closer.pk


def test_a_change_makes_the_earlier_state_past(person: Person) -> None:
    first, second = felt(person), felt(person, "is hurt by a joke")

    assert (first.kind, second.kind) == ("new", "changed")
    assert Relationship.objects.for_owner(person).current().get() == second.relationship
    first.relationship.refresh_from_db()
    assert first.relationship.status == RelationshipStatus.PAST
    assert list(RelationshipEvent.objects.order_by("id").values_list("relationship", "kind")) == [
        (first.relationship.pk, "began"),
        (first.relationship.pk, "ended"),
        (second.relationship.pk, "began"),
    ]


@pytest.mark.parametrize("names", [("Ella", "Ana"), ("ella", "ANA")])
def test_the_same_state_again_is_no_second_row(person: Person, names: tuple[str, str]) -> None:
    first = felt(person)
    again = felt(person, "Feels closer since she spoke of her mother", from_who=names[0], to_who=names[1])

    assert (again.kind, again.relationship) == ("corroborated", first.relationship)
    assert Relationship.objects.count() == 1


def test_feelings_have_a_direction_and_a_scope(person: Person) -> None:
    felt(person)
    felt(person, from_who="Ana", to_who="Ella")
    felt(person, scope="live:1")
    assert Relationship.objects.filter(status=RelationshipStatus.CURRENT).count() == 3


def test_the_database_knows_one_current_state_in_any_letter_case(person: Person) -> None:
    felt(person)
    with pytest.raises(IntegrityError), transaction.atomic():
        Relationship(owner=person, from_who="ELLA", to_who="ana", state="is fine", since=LATE, created_at=LATE).save()


@pytest.mark.parametrize(
    ("change", "field", "reason"),
    [
        ({"state": "\u200b"}, "state", Reason.EMPTY),
        ({"state": "x" * 301}, "state", Reason.TOO_LONG),
        ({"cause": "x" * 301}, "cause", Reason.TOO_LONG),
        ({"to_who": " "}, "to_who", Reason.EMPTY),
        ({"since": datetime(2026, 12, 1)}, "since", Reason.NAIVE_TIME),  # noqa: DTZ001
    ],
)
def test_what_is_no_state_is_refused_and_leaves_what_was(
    person: Person, change: dict[str, Any], field: str, reason: Reason
) -> None:
    before = felt(person).relationship
    with pytest.raises(InvalidRelationship) as refusal:
        felt(person, **({"state": "is cross"} | change))
    assert (refusal.value.field, refusal.value.reason) == (field, reason)
    assert Relationship.objects.get() == before
    assert RelationshipEvent.objects.count() == 1
