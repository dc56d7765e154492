"""What staff see of model calls: readable, searchable, and never editable."""

import re
import uuid
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from ella.llm.calls import begin_call, fail_call, finish_call
from ella.llm.errors import ErrorCode, LayoutNotAccepted, ModelError
from ella.llm.limits import remember_limit
from ella.llm.models import Layout, ModelCall, Purpose
from ella.llm.outcome import CallOutcome, Usage
from ella.people.models import Person

LIST = "/admin/llm/modelcall/"
EVIL = "<script>alert('x')</script>"
SECTION_MAP = [
    {
        "key": "scene",
        "label": "[SCENE STATE]",
        "priority": "P2",
        "tokens": 30,
        "where": "messages",
        "lines": [{"text": f"The phone is on the couch {EVIL}", "sources": [{"kind": "scene", "id": "41"}]}],
    },
    {
        "key": "latest_input",
        "label": "",
        "priority": "P0",
        "tokens": 10,
        "where": "messages",
        "lines": [{"text": "Where is it?", "sources": []}],
    },
]
LEFT_OUT = [
    {"key": "facts", "text": "Tom has a boat", "sources": [{"kind": "fact", "id": "7"}], "reason": "no room left"}
]
ANSWERED = CallOutcome(
    text="On the couch.",
    blocks=[{"type": "thinking", "thinking": "Hm."}, {"type": "text", "text": f"On the couch. {EVIL}"}],
    stop_reason="end_turn",
    usage=Usage(input_tokens=100, cache_read_tokens=900, output_tokens=20),
    request_id="req_77",
    first_token_ms=6_000,
    duration_ms=7_000,
    tries=1,
)

NewCall = Callable[..., ModelCall]


@pytest.fixture
def staff(db: None) -> Client:
    client = Client()
    client.force_login(Person.objects.create_superuser("moderator"))
    return client


@pytest.fixture
def new_call(person: Person, payload: dict[str, Any]) -> NewCall:
    def make(outcome: CallOutcome | None = ANSWERED, error: ModelError | None = None, **given: Any) -> ModelCall:
        call = begin_call(
            **{
                "purpose": Purpose.LIVE_REPLY,
                "owner_id": person.pk,
                "turn_id": uuid.uuid4(),
                "payload": payload,
                "section_map": SECTION_MAP,
                "left_out": LEFT_OUT,
                "layout": Layout.SYSTEM_TAIL,
                **given,
            }
        )
        if error:
            fail_call(call_id=call.pk, error=error)
        elif outcome:
            finish_call(call_id=call.pk, outcome=outcome)
        return call

    return make


def shown(staff: Client, **query: str) -> set[str]:
    """Ids of the calls in the list."""
    page = staff.get(LIST, query)
    assert page.status_code == 200
    return set(re.findall(rf"{LIST}([0-9a-f-]{{36}})/change/", page.content.decode()))


def test_the_list_tells_cost_cache_and_time_at_a_glance(staff: Client, new_call: NewCall) -> None:
    new_call()
    page = staff.get(LIST).content.decode()
    for word in (
        "live reply",
        "claude-sonnet-5-5",
        "answered",
        "nour",
        "1,000 / 20",
        "90%",
        "$0.000490",
        "6.00 s / 7.00 s",
    ):
        assert word in page


def test_the_list_asks_the_same_number_of_questions_for_one_call_and_for_thirty(
    staff: Client, new_call: NewCall
) -> None:
    new_call()
    staff.get(LIST)
    with CaptureQueriesContext(connection) as one:
        staff.get(LIST)
    for _ in range(29):
        new_call()
    with CaptureQueriesContext(connection) as thirty:
        staff.get(LIST)
    assert len(one) == len(thirty)
    listing = next(q["sql"] for q in thirty if "llm_modelcall" in q["sql"] and "ORDER BY" in q["sql"])
    assert not any(f'"{heavy}"' in listing for heavy in ("payload", "answer", "section_map"))


def test_a_call_is_found_by_its_own_id_its_turns_its_owners_and_the_providers(
    staff: Client, new_call: NewCall, person: Person
) -> None:
    call = new_call()
    other = new_call(outcome=None, error=ModelError(ErrorCode.TIMEOUT), owner_id=None, turn_id=None)
    for term in (call.pk, call.turn_id, person.pk, "req_77", "NOUR"):
        assert shown(staff, q=str(term)) == {str(call.pk)}
    assert shown(staff, q="model_timeout") == {str(other.pk)}
    assert shown(staff, q="nobody at all") == set()


@pytest.mark.parametrize(
    ("question", "which"),
    [
        ("dearest", {"good", "cut", "cold", "failed", "waiting"}),
        ("unanswered", {"failed"}),
        ("cut", {"cut"}),
        ("slow", {"good"}),
        ("cache", {"cold", "cut"}),
        ("left_out", {"good"}),
        ("waiting", {"waiting"}),
    ],
)
def test_the_filters_answer_questions(staff: Client, new_call: NewCall, question: str, which: set[str]) -> None:
    calls = {
        "good": new_call(),
        "cut": new_call(CallOutcome(stop_reason="max_tokens"), left_out=[]),
        "cold": new_call(CallOutcome(usage=Usage(5)), left_out=[]),
        "failed": new_call(error=ModelError(ErrorCode.REFUSED), left_out=[]),
        "waiting": new_call(None, left_out=[]),
        "old": new_call(CallOutcome(usage=Usage(cache_read_tokens=5)), left_out=[]),
    }
    ModelCall.objects.filter(pk=calls["old"].pk).update(started_at=timezone.now() - timedelta(days=3))
    assert shown(staff, question=question) == {str(calls[name].pk) for name in which}


def test_a_calls_page_sets_out_what_was_sent_left_out_answered_and_paid(
    staff: Client, new_call: NewCall, person: Person
) -> None:
    call = new_call()
    page = staff.get(f"{LIST}{call.pk}/change/").content.decode()
    for words in (
        "[SCENE STATE]",
        "P2 · about 30 tokens, 75%",
        "scene 41",
        "latest input",
        "Tom has a boat",
        "no room left",
        "fact 7",
        "On the couch.",
        "90% of the prompt",
        "read from the cache",
        "$0.000490",
        "system tail",
    ):
        assert words in page
    assert page.index("[SCENE STATE]") < page.index("latest input")
    assert EVIL not in page
    assert "&lt;script&gt;alert" in page
    assert "<form" not in page[page.index('class="model-call"') :]


def test_a_failed_call_says_how_and_a_jobs_call_shows_its_payload(staff: Client, new_call: NewCall) -> None:
    error = ModelError(ErrorCode.OVERLOADED, f"529 {EVIL}")
    call = new_call(error=error, section_map=[], left_out=[], layout=None, turn_id=None, owner_id=None)
    page = staff.get(f"{LIST}{call.pk}/change/").content.decode()
    for words in ("provider overloaded", "model_overloaded", "You are Ella.", "I put the phone away.", "nobody"):
        assert words in page
    assert EVIL not in page


def test_a_structured_answer_and_a_pruned_payload_can_be_shown(staff: Client, new_call: NewCall) -> None:
    blocks = [{"type": "text", "text": '{"facts":[{"subject":"user"}]}'}]
    call = new_call(CallOutcome(blocks=blocks), section_map=[])
    ModelCall.objects.filter(pk=call.pk).update(payload={})
    page = staff.get(f"{LIST}{call.pk}/change/").content.decode()
    assert "no longer kept" in page
    assert "    &quot;subject&quot;: &quot;user&quot;" in page


def test_nobody_can_change_or_delete_a_call(staff: Client, new_call: NewCall) -> None:
    call = new_call()
    before = ModelCall.objects.values().get()
    for address in (f"{LIST}{call.pk}/change/", f"{LIST}{call.pk}/delete/", f"{LIST}add/"):
        assert staff.post(address, {"purpose": "memory_extract", "post": "yes"}).status_code == 403
    assert ModelCall.objects.values().get() == before


def test_a_call_that_does_not_exist_leads_back_to_the_list(staff: Client) -> None:
    assert staff.get(f"{LIST}{uuid.uuid4()}/change/").status_code == 302


def test_spending_shows_who_or_what_for_and_how_much_is_left(staff: Client, new_call: NewCall) -> None:
    new_call()
    page = staff.get(reverse("admin:llm_spend_changelist")).content.decode()
    for words in ("nour", "live reply", "$0.000490", "0% of $2.00", "0% of $50.00"):
        assert words in page


def test_what_a_model_refused_is_listed(staff: Client) -> None:
    remember_limit(model="claude-opus-5-5", error=LayoutNotAccepted("role 'system' is not supported on this model"))
    page = staff.get(reverse("admin:llm_learnedlimit_changelist")).content.decode()
    assert "claude-opus-5-5" in page
    assert "takes no system message" in page
