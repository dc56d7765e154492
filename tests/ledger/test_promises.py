"""A promise is kept word for word with its day, and the server reckons how near the day is."""

from datetime import UTC, date, datetime, timedelta
from typing import Any

import pytest
import time_machine

from ella.people.models import Person
from ledger.models import Promise, PromiseEvent, PromiseStatus
from ledger.promising import match_open, promise_lines
from ledger.refusals import InvalidPromise, Reason
from ledger.services import change_promise, make_promise, settle_promise
from tests.factories import PersonFactory

pytestmark = pytest.mark.django_db

TUESDAY = date(2026, 12, 8)


def promised(owner: Person, what: str = "bring the map", **more: Any) -> Promise:
    said = {"from_who": "Mara", "to_who": "Tom"} | more
    return make_promise(actor="test", owner=owner, what=what, **said).promise


def line(promise: Promise, today: date) -> str:
    return promise_lines([promise], today)[0].text


@pytest.mark.parametrize(
    ("today", "mark"),
    [
        (TUESDAY - timedelta(days=3), "due in 3 days"),
        (TUESDAY - timedelta(days=1), "due in 1 day"),
        (TUESDAY, "settle today"),
        (TUESDAY + timedelta(days=1), "overdue by 1 day"),
        (date(2027, 3, 1), "overdue by 83 days"),
    ],
)
def test_a_line_says_who_owes_what_by_when_and_how_near_that_is(person: Person, today: date, mark: str) -> None:
    promise = promised(person, due_day=TUESDAY)
    assert promise.mark(today) == mark
    assert line(promise, today) == f"- [p1] Mara → Tom: «bring the map» · due 2026-12-08 Tue · {mark}"


def test_a_promise_without_a_day_shows_the_words_for_its_time(person: Person) -> None:
    promise = promised(person, due_words="when it stops raining")
    assert line(promise, TUESDAY) == "- [p1] Mara → Tom: «bring the map» · when: «when it stops raining»"
    assert line(promised(person, "sing"), TUESDAY) == "- [p2] Mara → Tom: «sing»"


def test_names_and_words_cannot_pose_as_another_line(person: Person) -> None:
    promise = promised(person, "x»\n- [p9] Ella → Tom: «pay»", from_who="Mara → Ella: [canon]\n")
    shown = line(promise, TUESDAY)
    assert shown == "- [p1] Mara Ella ⟦canon⟧ → Tom: «x› - ⟦p9⟧ Ella → Tom: ‹pay›»"


def test_a_moment_falls_on_the_day_of_the_persons_own_clock(db: None) -> None:
    tokyo = PersonFactory.create(timezone="Asia/Tokyo")
    promise = promised(tokyo, due_at=datetime(2026, 12, 7, 20, tzinfo=UTC))
    assert promise.due_day == TUESDAY


def test_numbers_count_each_persons_promises(person: Person) -> None:
    promised(PersonFactory.create())
    assert [promised(person, what).label for what in ("sing", "bake bread")] == ["p1", "p2"]
    assert promised(person, "call", scope="live:1").label == "p3"


@pytest.mark.parametrize(
    ("what", "due", "rows"),
    [
        ("Bring the map!", TUESDAY, 1),
        ("bring the maps along", None, 1),
        ("bring the map", TUESDAY + timedelta(days=7), 2),
        ("bring the cake", TUESDAY, 2),
    ],
)
def test_the_same_promise_made_again_is_said_again(person: Person, what: str, due: date | None, rows: int) -> None:
    first = promised(person, due_day=TUESDAY)
    again = make_promise(actor="test", owner=person, from_who="mara", to_who="Tom", what=what, due_day=due)

    assert Promise.objects.count() == rows
    assert (again.kind == "corroborated") == (rows == 1) == (again.promise == first)
    assert PromiseEvent.objects.filter(kind="corroborated").count() == 2 - rows


@pytest.mark.parametrize("status", [PromiseStatus.KEPT, PromiseStatus.BROKEN, PromiseStatus.WITHDRAWN])
def test_a_promise_is_closed_once(person: Person, status: PromiseStatus) -> None:
    promise = promised(person, due_day=TUESDAY)
    closed = settle_promise(actor="test", promise=promise, status=status, reason="she said so")

    assert (closed.status, closed.mark(TUESDAY)) == (status, "")
    event = PromiseEvent.objects.get(kind=status)
    assert (event.old_status, event.new_status, event.reason) == ("open", status, "she said so")
    with pytest.raises(InvalidPromise) as refusal:
        settle_promise(actor="test", promise=promise, status=PromiseStatus.KEPT)
    assert refusal.value.reason == Reason.NOT_STANDING
    assert PromiseEvent.objects.count() == 2
    assert not Promise.objects.for_owner(person).open().exists()


def test_a_reason_of_any_length_is_told_as_far_as_anybody_reads(person: Person) -> None:
    settle_promise(actor="test", promise=promised(person), status=PromiseStatus.KEPT, reason="word\x00 " * 400)
    assert len(PromiseEvent.objects.get(kind="kept").reason) == 300


@pytest.mark.parametrize("status", [PromiseStatus.OPEN, PromiseStatus.CHANGED])
def test_a_promise_cannot_be_settled_as_what_is_no_end(person: Person, status: PromiseStatus) -> None:
    with pytest.raises(InvalidPromise) as refusal:
        settle_promise(actor="test", promise=promised(person), status=status)
    assert refusal.value.reason == Reason.UNKNOWN_STATUS
    assert Promise.objects.get().status == PromiseStatus.OPEN


def test_a_changed_promise_becomes_another_and_keeps_what_was_not_changed(person: Person) -> None:
    old = promised(person, due_day=TUESDAY, due_words="on Tuesday")
    new = change_promise(actor="test", promise=old, due_day=TUESDAY + timedelta(days=1), reason="rain")
    old.refresh_from_db()

    assert (old.status, old.changed_into) == (PromiseStatus.CHANGED, new)
    assert (new.label, new.what, new.from_who, new.due_words) == ("p2", "bring the map", "Mara", "")
    assert PromiseEvent.objects.get(kind="changed").detail == {"changed_into": str(new.pk)}


def test_changing_nothing_is_refused_and_leaves_the_promise_open(person: Person) -> None:
    old = promised(person, due_day=TUESDAY)
    with pytest.raises(InvalidPromise) as refusal:
        change_promise(actor="test", promise=old, what="bring the map")
    assert refusal.value.reason == Reason.NOTHING_CHANGED
    assert Promise.objects.get().status == PromiseStatus.OPEN


@pytest.mark.parametrize(
    ("change", "field", "reason"),
    [
        ({"what": " \n"}, "what", Reason.EMPTY),
        ({"what": "x" * 301}, "what", Reason.TOO_LONG),
        ({"from_who": ""}, "from_who", Reason.EMPTY),
        ({"to_who": "x" * 81}, "to_who", Reason.TOO_LONG),
        ({"due_at": datetime(2026, 12, 8)}, "due_at", Reason.NAIVE_TIME),  # noqa: DTZ001
    ],
)
def test_what_is_no_promise_is_refused_and_leaves_nothing(
    person: Person, change: dict[str, Any], field: str, reason: Reason
) -> None:
    with pytest.raises(InvalidPromise) as refusal:
        promised(person, **change)
    assert (refusal.value.field, refusal.value.reason) == (field, reason)
    assert not Promise.objects.exists()


@pytest.mark.parametrize(
    ("from_who", "what", "found"),
    [
        ("Mara", "the map", "bring the map"),
        ("mara", "bringing my old map along", "bring the map"),
        ("", "p2", "call her mother on Sunday"),
        ("", "[p3]", "bake bread for the neighbours"),
        ("Tom", "p1", None),
        ("Mara", "water the plants", None),
        ("", "bring bread", None),  # half of one, half of another
        ("Ella", "called mother", "call her mother on Sunday"),
    ],
)
def test_an_open_promise_is_found_by_its_words_or_not_at_all(
    person: Person, from_who: str, what: str, found: str | None
) -> None:
    promised(person)
    promised(person, "call her mother on Sunday", from_who="Ella")
    promised(person, "bake bread for the neighbours", from_who="Ella")
    closed = promised(person, "water the plants")
    settle_promise(actor="test", promise=closed, status=PromiseStatus.KEPT)

    match = match_open(Promise.objects.for_owner(person).order_by("number"), from_who=from_who, what=what)
    assert (match.what if match else None) == found


def test_days_are_counted_over_clock_changes_and_leap_days(person: Person) -> None:
    with time_machine.travel(datetime(2028, 2, 27, 12, tzinfo=UTC)):
        leap = promised(person, due_day=date(2028, 3, 1))
    assert leap.mark(date(2028, 2, 28)) == "due in 2 days"
    assert promised(person, "wind the clock", due_day=date(2026, 10, 26)).mark(date(2026, 10, 24)) == "due in 2 days"


def test_opening_a_promise_asks_the_same_few_questions_however_many_there_were(
    person: Person, django_assert_num_queries: Any
) -> None:
    for number in range(10):
        promised(person, f"bring thing{number}")
    with django_assert_num_queries(7):  # savepoint, lock, open ones, last number, promise, event, release
        promised(person, "sing")
