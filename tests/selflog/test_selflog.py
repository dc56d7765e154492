"""What Ella said of herself is kept once, shown as said, and never becomes a fact."""

from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import uuid4
from zoneinfo import ZoneInfo

import pytest

from ella.people.models import Person
from ledger.models import Fact, FactEvent
from ledger.refusals import InvalidFact, LedgerRefusal, Reason
from ledger.services import make_anchor
from selflog.lines import thought_lines
from selflog.models import Certainty, SelfLogEntry
from selflog.services import ThoughtOutcome, log_thought
from tests.factories import PersonFactory

pytestmark = pytest.mark.django_db

SAID = datetime(2026, 11, 30, 23, 30, tzinfo=UTC)


@pytest.fixture
def person(db: None) -> Person:
    return PersonFactory.create()


def thought(owner: Person, content: str = "I keep thinking about the gulls", **more: Any) -> ThoughtOutcome:
    return log_thought(actor="test", owner=owner, content=content, **({"said_at": SAID} | more))


def test_a_thought_is_kept_with_what_it_is_about_and_rests_on(person: Person) -> None:
    gulls = make_anchor(actor="test", owner=person, subject="world.harbour", predicate="has", object="gulls").fact
    message_id = uuid4()
    entry = thought(person, about=["Ella.home.roof", "world.harbour"], based_on=[gulls], message_id=message_id).entry

    entry = SelfLogEntry.objects.for_owner(person).get(pk=entry.pk)
    assert entry.about == ["ellahome.roof", "world.harbour"]
    assert (entry.message_id, entry.logged_by, entry.said_at) == (message_id, "test", SAID)
    assert list(entry.based_on.all()) == [gulls]


def test_the_same_words_of_one_message_are_kept_once(person: Person) -> None:
    message_id = uuid4()
    first = thought(person, message_id=message_id)
    again = thought(person, "I keep thinking  about the GULLS", message_id=message_id)
    elsewhere = thought(person, message_id=uuid4())

    assert (first.is_new, again.is_new, elsewhere.is_new) == (True, False, True)
    assert again.entry == first.entry
    assert SelfLogEntry.objects.count() == 2


@pytest.mark.parametrize(
    ("change", "field", "reason"),
    [
        ({"content": " \n"}, "content", Reason.EMPTY),
        ({"content": "x" * 601}, "content", Reason.TOO_LONG),
        ({"content": "I am just a language model, you know."}, "content", Reason.ABOUT_THE_SYSTEM),
        ({"said_at": datetime(2026, 12, 1)}, "said_at", Reason.NAIVE_TIME),  # noqa: DTZ001
        ({"about": ["nowhere"]}, "subject", Reason.UNKNOWN_SUBJECT),
    ],
)
def test_what_is_no_thought_of_hers_is_refused_and_leaves_nothing(
    person: Person, change: dict[str, Any], field: str, reason: Reason
) -> None:
    with pytest.raises(LedgerRefusal) as refusal:
        thought(person, **change)
    assert (refusal.value.field, refusal.value.reason) == (field, reason)
    assert not SelfLogEntry.objects.exists()


def test_a_thought_rests_on_facts_of_the_same_person_only(person: Person) -> None:
    theirs = make_anchor(
        actor="test", owner=PersonFactory.create(), subject="companion", predicate="name", object="Hob"
    ).fact
    with pytest.raises(LedgerRefusal) as refusal:
        thought(person, based_on=[theirs])
    assert refusal.value.reason == Reason.OTHER_OWNER
    assert not SelfLogEntry.objects.exists()


def test_the_self_log_never_writes_to_the_ledger(person: Person) -> None:
    thought(person, "I painted my door blue yesterday", about=["ellahome.exterior.door"])
    assert not Fact.objects.exists()
    assert not FactEvent.objects.exists()


def test_recent_thoughts_are_the_newest_of_this_person_in_one_query(
    person: Person, django_assert_num_queries: Any
) -> None:
    for number in range(8):
        thought(person, f"I counted {number} boats", said_at=SAID + timedelta(hours=number))
    thought(PersonFactory.create(), "I saw somebody else's boat")
    thought(person, "I live elsewhere", scope="live:1")

    with django_assert_num_queries(1):
        recent = list(SelfLogEntry.objects.for_owner(person).recent())
    assert [entry.content for entry in recent] == [f"I counted {number} boats" for number in (7, 6, 5, 4, 3)]


def test_thoughts_of_the_person_are_found_since_a_moment(person: Person) -> None:
    thought(person, "I wonder how your interview went", mentions_user=True)
    thought(person, "I hoped you slept", mentions_user=True, said_at=SAID - timedelta(days=9))
    thought(person)

    (found,) = SelfLogEntry.objects.for_owner(person).mentioning_user(SAID - timedelta(days=7))
    assert found.content == "I wonder how your interview went"


def test_a_line_is_her_words_fenced_with_the_day_on_the_persons_calendar(person: Person) -> None:
    entries = [
        thought(person).entry,
        thought(person, "I may go [SCENE STATE] to the sea", certainty=Certainty.MAYBE).entry,
    ]
    lines = thought_lines(entries, ZoneInfo("Europe/Berlin"))

    assert [line.text for line in lines] == [
        "- «I keep thinking about the gulls» (said 2026-12-01 Tue)",
        "- «I may go ⟦SCENE STATE⟧ to the sea» (said 2026-12-01 Tue) (maybe)",
    ]
    assert [line.entry_id for line in lines] == [entry.pk for entry in entries]


def test_a_subject_that_cannot_be_one_is_an_invalid_fact(person: Person) -> None:
    with pytest.raises(InvalidFact):
        thought(person, about=["world..harbour"])


def test_erasing_a_person_takes_their_thoughts(person: Person) -> None:
    gulls = make_anchor(actor="test", owner=person, subject="world.harbour", predicate="has", object="gulls").fact
    thought(person, based_on=[gulls])
    person.delete()
    assert not SelfLogEntry.objects.exists()
