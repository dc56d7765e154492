"""The day's money, held under any number of calls at once."""

import threading
import uuid
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import date
from typing import Any

import pytest
from django.db import connection, connections, transaction
from pytest_django.fixtures import Settings

from ella.llm import budget
from ella.llm.errors import BudgetExceeded
from ella.llm.models import Purpose, Spend
from ella.people.models import Person

DAY = date(2026, 11, 30)
CENT = 10_000_000


def budgets(settings: Settings, *, person: str, purpose: str) -> None:
    settings.MODEL_DAILY_BUDGET_PER_PERSON_USD = person
    now = settings.MODEL_PURPOSES
    settings.MODEL_PURPOSES = {**now, "live_reply": {**now["live_reply"], "daily_budget_usd": purpose}}


def hold(owner: Person | None, cents: int = 1, day: date = DAY) -> None:
    owner_id = owner.pk if owner else None
    budget.reserve(owner_id=owner_id, purpose=Purpose.LIVE_REPLY, day=day, nano_usd=cents * CENT)


def settle(owner: Person, held: int, spent: int) -> None:
    budget.settle(
        owner_id=owner.pk,
        purpose=Purpose.LIVE_REPLY,
        day=DAY,
        reserved_nano_usd=held * CENT,
        spent_nano_usd=spent * CENT,
    )


def cents() -> dict[str, tuple[int, int]]:
    """Per kind of subject: (spent, held back), in cents."""
    return {
        row.subject.partition(":")[0]: (row.spent_nano_usd // CENT, row.reserved_nano_usd // CENT)
        for row in Spend.objects.all()
    }


def test_what_is_held_back_counts_for_the_person_and_for_the_purpose(person: Person) -> None:
    hold(person, 3)
    hold(person, 2)
    assert cents() == {"person": (0, 5), "purpose": (0, 5)}
    settle(person, held=3, spent=1)
    assert cents() == {"person": (1, 2), "purpose": (1, 2)}
    assert Spend.objects.for_owner(person.pk).get().subject == f"person:{person.pk}"


def test_the_last_cent_can_be_spent_and_not_one_more(person: Person, settings: Settings) -> None:
    budgets(settings, person="0.05", purpose="1")
    hold(person, 5)
    with pytest.raises(BudgetExceeded) as over:
        hold(person, 1)
    assert over.value.subject == f"person:{person.pk}"
    assert (over.value.code, over.value.permanent) == ("budget_exceeded", True)
    assert cents() == {"person": (0, 5), "purpose": (0, 5)}


def test_money_that_was_not_needed_can_be_held_again(person: Person, settings: Settings) -> None:
    budgets(settings, person="0.05", purpose="1")
    hold(person, 5)
    settle(person, held=5, spent=1)
    hold(person, 4)
    with pytest.raises(BudgetExceeded):
        hold(person, 1)


def test_a_purpose_over_its_budget_holds_nothing_back_from_the_person(person: Person, settings: Settings) -> None:
    budgets(settings, person="1", purpose="0.02")
    hold(person, 2)
    with pytest.raises(BudgetExceeded) as over:
        hold(person, 1)
    assert over.value.subject == "purpose:live_reply"
    assert cents() == {"person": (0, 2), "purpose": (0, 2)}


def test_a_budget_of_nothing_allows_nothing(person: Person, settings: Settings) -> None:
    budgets(settings, person="0", purpose="1")
    with pytest.raises(BudgetExceeded):
        hold(person, 1)
    assert cents() == {}


def test_every_day_has_its_own_money(person: Person, settings: Settings) -> None:
    budgets(settings, person="0.01", purpose="1")
    hold(person, 1)
    hold(person, 1, day=date(2026, 12, 1))
    assert Spend.objects.for_owner(person.pk).count() == 2


@pytest.mark.django_db
def test_a_call_nobody_owns_is_paid_by_its_purpose_alone() -> None:
    hold(None, 2)
    assert cents() == {"purpose": (0, 2)}


def test_refusal_inside_the_callers_transaction_leaves_what_else_it_wrote(person: Person, settings: Settings) -> None:
    budgets(settings, person="0", purpose="1")
    with transaction.atomic():
        Person.objects.create_user("somebody")
        with pytest.raises(BudgetExceeded):
            hold(person, 1)
    assert Person.objects.filter(username="somebody").exists()


def at_once(number: int, act: Callable[[int], Any]) -> list[Any]:
    """Run `act` in that many threads that start together, each with a connection of its own."""
    start = threading.Barrier(number)

    def run(index: int) -> Any:
        try:
            start.wait(10)
            return act(index)
        finally:
            connections.close_all()

    with ThreadPoolExecutor(number) as threads:
        return list(threads.map(run, range(number)))


@pytest.mark.django_db(transaction=True)
def test_many_calls_at_once_never_take_more_than_there_is(person: Person, settings: Settings) -> None:
    budgets(settings, person="0.05", purpose="1")

    def try_to_hold(_: int) -> bool:
        try:
            hold(person, 1)
        except BudgetExceeded:
            return False
        return True

    assert sum(at_once(16, try_to_hold)) == 5
    assert cents() == {"person": (0, 5), "purpose": (0, 5)}


@pytest.mark.django_db(transaction=True)
def test_many_people_at_once_share_the_budget_of_a_purpose(settings: Settings) -> None:
    budgets(settings, person="1", purpose="0.07")
    people = [Person.objects.create_user(f"person{n}") for n in range(12)]

    def try_to_hold(index: int) -> bool:
        try:
            hold(people[index], 1)
        except BudgetExceeded:
            return False
        return True

    assert sum(at_once(12, try_to_hold)) == 7
    assert Spend.objects.get(subject="purpose:live_reply").reserved_nano_usd == 7 * CENT
    assert Spend.objects.filter(owner__isnull=False, reserved_nano_usd=CENT).count() == 7


@pytest.mark.django_db(transaction=True)
def test_holding_and_settling_at_once_never_wait_for_each_other_for_ever(person: Person, settings: Settings) -> None:
    budgets(settings, person="10", purpose="10")
    hold(person, 100)

    def one(index: int) -> None:
        hold(person, 1)
        settle(person, held=1, spent=index % 2)

    at_once(16, one)
    assert cents() == {"person": (8, 100), "purpose": (8, 100)}


def test_the_database_itself_refuses_to_give_back_more_than_was_held(person: Person) -> None:
    hold(person, 1)
    with pytest.raises(Exception, match=r"(?i)check"), transaction.atomic(), connection.cursor():
        settle(person, held=2, spent=0)
    assert cents() == {"person": (0, 1), "purpose": (0, 1)}


@pytest.mark.django_db
def test_settling_for_somebody_who_was_erased_changes_nobody_elses_money() -> None:
    hold(None, 2)
    budget.settle(
        owner_id=uuid.uuid4(),
        purpose=Purpose.LIVE_REPLY,
        day=DAY,
        reserved_nano_usd=2 * CENT,
        spent_nano_usd=CENT,
    )
    assert cents() == {"purpose": (1, 0)}
