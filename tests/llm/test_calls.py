"""The life of a call's row: begun with its money, ended once."""

import threading
import uuid
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from typing import Any

import pytest
from django.db import connections, transaction
from django.utils import timezone
from pytest_django.fixtures import DjangoAssertNumQueries, Settings

from ella.llm.calls import begin_call, fail_call, finish_call, sweep_lost_calls
from ella.llm.errors import BudgetExceeded, ErrorCode, LayoutNotAccepted, ModelError
from ella.llm.gateway import ask
from ella.llm.limits import layout_for, remember_limit
from ella.llm.models import Layout, LearnedLimit, ModelCall, Purpose, Spend
from ella.llm.outcome import CallOutcome, Usage
from ella.llm.prices import cost_nano_usd
from ella.people.models import Person
from tests.standin import StandIn

SECTIONS = [{"key": "scene", "label": "[SCENE STATE]", "priority": "P2", "tokens": 3, "where": "messages", "lines": []}]
USER_TURN = {"role": "user", "content": "u" * 400}
ANSWERED = CallOutcome(
    text="Good.",
    blocks=[{"type": "text", "text": "Good."}],
    stop_reason="end_turn",
    usage=Usage(input_tokens=100, cache_read_tokens=900, cache_write_5m_tokens=50, output_tokens=20),
    request_id="req_1",
    first_token_ms=120,
    duration_ms=900,
    tries=2,
)


def begin(owner: Person, payload: dict[str, Any]) -> ModelCall:
    return begin_call(
        purpose=Purpose.LIVE_REPLY,
        owner_id=owner.pk,
        turn_id=uuid.uuid4(),
        payload=payload,
        section_map=SECTIONS,
        left_out=[],
        layout=Layout.MID_CONVERSATION,
    )


def money() -> set[tuple[int, int]]:
    """The distinct (spent, held back) of every subject; one pair when person and purpose agree."""
    return set(Spend.objects.values_list("spent_nano_usd", "reserved_nano_usd"))


def test_a_call_is_written_down_with_its_payload_and_its_money_before_it_is_made(
    person: Person, payload: dict[str, Any]
) -> None:
    call = ModelCall.objects.get(pk=begin(person, payload).pk)
    assert call.status == ModelCall.Status.STARTED
    assert call.payload == payload
    assert call.section_map == SECTIONS
    assert (call.model, call.layout, call.owner_id) == ("claude-sonnet-5-5", "mid_conversation", person.pk)
    assert call.reserved_nano_usd > 1500 * 10_000
    assert money() == {(0, call.reserved_nano_usd)}


def test_over_budget_nothing_is_written_and_nothing_held(
    person: Person, payload: dict[str, Any], settings: Settings
) -> None:
    settings.MODEL_DAILY_BUDGET_PER_PERSON_USD = "0.001"
    with pytest.raises(BudgetExceeded):
        begin(person, payload)
    assert not ModelCall.objects.exists()
    assert not Spend.objects.exists()


def test_a_finished_call_keeps_answer_usage_price_and_times(person: Person, payload: dict[str, Any]) -> None:
    call = begin(person, payload)
    assert finish_call(call_id=call.pk, outcome=ANSWERED)
    call.refresh_from_db()
    assert call.status == ModelCall.Status.DONE
    assert call.answer == ANSWERED.blocks
    assert call.usage == ANSWERED.usage
    assert call.cost_nano_usd == 100 * 2_000 + 900 * 100 + 50 * 2_500 + 20 * 10_000
    assert (call.first_token_ms, call.duration_ms, call.tries, call.request_id) == (120, 900, 2, "req_1")
    assert call.finished_at is not None
    assert money() == {(call.cost_nano_usd, 0)}


def test_a_call_ends_once(person: Person, payload: dict[str, Any]) -> None:
    call = begin(person, payload)
    assert finish_call(call_id=call.pk, outcome=ANSWERED)
    before = (ModelCall.objects.values().get(), money())
    assert not finish_call(call_id=call.pk, outcome=ANSWERED)
    assert not fail_call(call_id=call.pk, error=ModelError(ErrorCode.TIMEOUT))
    assert sweep_lost_calls(timezone.now() + timedelta(hours=1)) == 0
    assert (ModelCall.objects.values().get(), money()) == before


def test_a_failed_call_pays_for_what_had_arrived(person: Person, payload: dict[str, Any]) -> None:
    call = begin(person, payload)
    partial = CallOutcome(text="Go", blocks=[{"type": "text", "text": "Go"}], usage=Usage(10, output_tokens=1), tries=1)
    assert fail_call(call_id=call.pk, error=ModelError(ErrorCode.CUT_OFF, "gone", outcome=partial))
    call.refresh_from_db()
    assert (call.status, call.error_code, call.error_detail) == ("failed", "model_cut_off", "gone")
    assert call.answer == partial.blocks
    assert call.cost_nano_usd == 10 * 2_000 + 10_000
    assert money() == {(call.cost_nano_usd, 0)}


def test_a_failure_without_an_answer_costs_nothing_and_gives_its_money_back(
    person: Person, payload: dict[str, Any]
) -> None:
    call = begin(person, payload)
    assert fail_call(call_id=call.pk, error=ModelError(ErrorCode.UNREACHABLE, "x" * 900))
    call.refresh_from_db()
    assert (call.answer, call.cost_nano_usd, call.duration_ms) == (None, 0, None)
    assert len(call.error_detail) == 500
    assert money() == {(0, 0)}


def test_a_call_ended_from_outside_keeps_the_callers_own_word_for_it(person: Person, payload: dict[str, Any]) -> None:
    call = begin(person, payload)
    assert fail_call(call_id=call.pk, error=ModelError("turn_time_limit", "60 seconds are over"))
    call.refresh_from_db()
    assert (call.status, call.error_code, call.get_error_code_display()) == ("failed", *["turn_time_limit"] * 2)


def test_finishing_belongs_to_the_callers_transaction(person: Person, payload: dict[str, Any]) -> None:
    call = begin(person, payload)

    with transaction.atomic():
        assert finish_call(call_id=call.pk, outcome=ANSWERED)
        transaction.set_rollback(True)
    call.refresh_from_db()
    assert call.status == ModelCall.Status.STARTED
    assert money() == {(0, call.reserved_nano_usd)}


def test_only_calls_older_than_ten_minutes_are_given_up(person: Person, payload: dict[str, Any]) -> None:
    old, young = begin(person, payload), begin(person, payload)
    now = timezone.now()
    ModelCall.objects.filter(pk=old.pk).update(started_at=now - timedelta(minutes=10, seconds=1))
    assert sweep_lost_calls(now) == 1
    old.refresh_from_db()
    young.refresh_from_db()
    assert (old.status, young.status) == ("lost", "started")
    assert money() == {(old.cost_nano_usd, young.reserved_nano_usd)}
    assert sweep_lost_calls(now) == 0


def test_a_lost_call_is_booked_as_its_estimated_prompt_because_it_may_have_been_charged(
    person: Person, payload: dict[str, Any]
) -> None:
    asked = {**payload, "system": [{"type": "text", "text": "s" * 4_000}], "messages": [USER_TURN]}
    call = begin(person, asked)
    assert sweep_lost_calls(timezone.now() + timedelta(hours=1)) == 1
    call.refresh_from_db()
    assert (call.status, call.usage, call.usage_estimated) == ("lost", Usage(input_tokens=1_100), True)
    assert call.cost_nano_usd == 1_100 * 2_000
    assert money() == {(call.cost_nano_usd, 0)}


def test_a_call_whose_owner_was_erased_meanwhile_ends_quietly(person: Person, payload: dict[str, Any]) -> None:
    call = begin(person, payload)
    person.delete()
    assert not finish_call(call_id=call.pk, outcome=ANSWERED)


def test_beginning_and_finishing_take_few_statements(
    person: Person, payload: dict[str, Any], django_assert_max_num_queries: DjangoAssertNumQueries
) -> None:
    begin(person, payload)  # the day's rows exist
    with django_assert_max_num_queries(7):  # 2 updates and 1 insert between their savepoints
        call = begin(person, payload)
    with django_assert_max_num_queries(8):  # 1 read and 3 updates
        finish_call(call_id=call.pk, outcome=ANSWERED)


def test_what_the_stand_in_answered_is_what_is_booked(
    standin: StandIn, person: Person, payload: dict[str, Any]
) -> None:
    call = begin(person, payload)
    outcome = ask(payload)
    finish_call(call_id=call.pk, outcome=outcome)
    call.refresh_from_db()
    (request,) = standin.requests(path="/v1/messages")
    assert call.usage.prompt_tokens == request["usage"]["input_tokens"]
    assert call.output_tokens == request["usage"]["output_tokens"]
    assert call.cost_nano_usd == cost_nano_usd(call.model, outcome.usage) <= call.reserved_nano_usd


@pytest.mark.django_db(transaction=True)
def test_two_that_end_one_call_at_once_pay_it_once(person: Person, payload: dict[str, Any]) -> None:
    call = begin(person, payload)
    start = threading.Barrier(8)

    def end(index: int) -> bool:
        try:
            start.wait(10)
            if index % 2:
                return finish_call(call_id=call.pk, outcome=ANSWERED)
            return fail_call(call_id=call.pk, error=ModelError(ErrorCode.TIMEOUT, outcome=ANSWERED))
        finally:
            connections.close_all()

    with ThreadPoolExecutor(8) as threads:
        assert sum(threads.map(end, range(8))) == 1
    call.refresh_from_db()
    assert money() == {(call.cost_nano_usd, 0)}


@pytest.mark.django_db
def test_a_refused_layout_is_remembered_for_that_model_alone() -> None:
    refusal = LayoutNotAccepted("role 'system' is not supported on this model")
    assert layout_for("claude-sonnet-5-5") is Layout.MID_CONVERSATION
    remember_limit(model="claude-sonnet-5-5", error=refusal)
    remember_limit(model="claude-sonnet-5-5", error=refusal)
    assert layout_for("claude-sonnet-5-5") is Layout.SYSTEM_TAIL
    assert layout_for("claude-opus-5-5") is Layout.MID_CONVERSATION
    assert layout_for("claude-haiku-4-5") is Layout.SYSTEM_TAIL
    assert layout_for("claude-of-tomorrow") is Layout.SYSTEM_TAIL
    assert LearnedLimit.objects.get().message == refusal.detail
