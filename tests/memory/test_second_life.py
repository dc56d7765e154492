"""What was given up and is read again, how much one job reads, and pauses a provider asks for."""

from __future__ import annotations

import uuid
from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth.models import Permission
from django.db import connection
from django.test import Client
from django.urls import reverse

from ella.clock import utc_now
from ella.llm.errors import ErrorCode, ModelError
from ella.memory import reading as reading_job
from ella.memory import tasks
from ella.memory.models import Extraction
from ella.memory.services import claim_next, put_off, read_again
from ella.people.models import Person
from ledger.models import Fact, Relationship
from selflog.models import SelfLogEntry
from tests.conversation.talking import Talk
from tests.memory.test_remembering import exchange, fact, reading, refusals, thought
from tests.standin import StandIn

LIST = "admin:memory_extraction_changelist"


@pytest.fixture
def talk(api: Any, person: Person) -> Talk:
    return Talk.of(api, person)


@pytest.fixture
def given_up(talk: Talk, standin: StandIn) -> Extraction:
    talk.say("My sister lives in Porto.")
    Extraction.objects.update(
        status="failed",
        attempts=8,
        error_code="gave_up",
        finished_at=utc_now(),
        not_before=utc_now() + timedelta(days=1),
    )
    return Extraction.objects.get()


def staff(client: Client, *codenames: str) -> Client:
    account = Person.objects.create_user("moderator", "not-a-secret", is_staff=True)
    account.user_permissions.set(Permission.objects.filter(codename__in=codenames))
    client.force_login(account)
    return client


class TestReadAgain:
    def test_what_was_given_up_is_read_in_the_end(self, talk: Talk, given_up: Extraction) -> None:
        assert talk.remember() == 0
        assert read_again(actor="test", turn_ids=[given_up.pk], now=utc_now()) == 1
        assert talk.remember() == 1
        row = Extraction.objects.get()
        assert (row.status, row.attempts, row.error_code) == ("done", 1, "")

    def test_what_was_read_is_not_read_twice(self, talk: Talk, standin: StandIn) -> None:
        talk.say("My sister lives in Porto.")
        talk.remember()
        before = Extraction.objects.values().get()
        assert read_again(actor="test", turn_ids=[before["turn_id"]], now=utc_now()) == 0
        assert Extraction.objects.values().get() == before

    def test_a_moderator_who_may_only_look_can_ask_for_it(self, client: Client, given_up: Extraction) -> None:
        moderator = staff(client, "view_extraction")
        assert 'value="read_again"' in moderator.get(reverse(LIST)).content.decode()
        chosen = {"action": "read_again", "index": "0", "_selected_action": [str(given_up.pk)]}
        answer = moderator.post(reverse(LIST), chosen, follow=True)
        assert "1 given up will be read again" in answer.content.decode()
        assert Extraction.objects.get().status == "pending"

    def test_one_who_may_not_look_cannot(self, client: Client, given_up: Extraction) -> None:
        chosen = {"action": "read_again", "index": "0", "_selected_action": [str(given_up.pk)]}
        assert staff(client, "view_sceneitem").post(reverse(LIST), chosen).status_code == 403
        assert Extraction.objects.get().status == "failed"


class TestOneJob:
    @pytest.fixture
    def nudged(self, monkeypatch: pytest.MonkeyPatch) -> list[uuid.UUID]:
        nudged: list[uuid.UUID] = []
        monkeypatch.setattr(tasks, "remember", nudged.append)
        return nudged

    def test_out_of_time_leaves_the_rest_to_another(
        self, talk: Talk, standin: StandIn, nudged: list[uuid.UUID], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        talk.say("one")
        monkeypatch.setattr(reading_job, "SECONDS_A_JOB", 0.0)
        tasks.read_conversation(talk.conversation)
        assert Extraction.objects.get().status == "pending"
        assert nudged == [uuid.UUID(talk.conversation)]

    def test_that_read_everything_asks_for_no_other(
        self, talk: Talk, standin: StandIn, nudged: list[uuid.UUID]
    ) -> None:
        talk.say("one")
        tasks.read_conversation(talk.conversation)
        assert Extraction.objects.get().status == "done"
        assert nudged == []

    def test_whose_first_exchange_must_pause_does_not_come_back_at_once_for_the_second(
        self, talk: Talk, standin: StandIn, nudged: list[uuid.UUID]
    ) -> None:
        talk.say("one")
        talk.say("two")
        standin.fail("malformed_output", times=1, match={"contains": "open_promises"})
        tasks.read_conversation(talk.conversation)
        assert set(Extraction.objects.values_list("status", flat=True)) == {"pending"}
        assert nudged == []

    def test_reads_no_more_than_its_share(self, talk: Talk, standin: StandIn) -> None:
        for text in ("one", "two", "three"):
            talk.say(text)
        assert reading_job.read_waiting_exchanges(uuid.UUID(talk.conversation), at_most=2) == 2
        assert Extraction.objects.waiting().count() == 1


class TestPauses:
    @pytest.mark.parametrize(
        ("asked_s", "pause_s"), [(None, 5), (2.0, 5), (900.0, 900), (999_999.0, 6 * 3600)], ids=str
    )
    def test_what_the_provider_asks_for_is_honoured_within_six_hours(
        self, talk: Talk, standin: StandIn, asked_s: float | None, pause_s: int
    ) -> None:
        talk.say("one")
        now = utc_now()
        claim = claim_next(conversation_id=uuid.UUID(talk.conversation), now=now)
        assert claim is not None
        put_off(claim=claim, error=ModelError(ErrorCode.RATE_LIMITED, retry_after_s=asked_s), now=now)
        assert Extraction.objects.get().not_before - now == timedelta(seconds=pause_s)


class TestWhatTheWordsBear:
    def test_a_fact_whose_time_is_a_guess_says_so(self, talk: Talk, standin: StandIn, person: Person) -> None:
        said = "We visited Faro last month and Sintra yesterday"
        trips = [
            fact(subject="user", predicate="visited", object=place, when_words=when, evidence=said)
            for place, when in (("Faro", "last month"), ("Sintra", "yesterday"))
        ]
        exchange(talk, standin, said, "How lovely.", reading(facts=trips))
        assert refusals() == []
        notes = dict(Fact.objects.filter(owner=person, object__in=["Faro", "Sintra"]).values_list("object", "note"))
        assert notes == {"Faro": "the time is not sure", "Sintra": ""}

    def test_ella_does_not_say_how_the_person_feels(self, talk: Talk, standin: StandIn) -> None:
        feeling = {
            "who": "person", "towards": "ella", "state": "fond of her", "cause": "the talk",
            "evidence": "You are fond of me",
        }  # fmt: skip
        exchange(talk, standin, "Hm", "You are fond of me.", reading(relationships=[feeling]))
        assert "how the person feels" in refusals()[0]
        assert not Relationship.objects.filter(state="fond of her").exists()

    def test_a_name_inside_a_word_is_not_the_person(self, talk: Talk, standin: StandIn, person: Person) -> None:
        Person.objects.filter(pk=person.pk).update(display_name="Al")
        words = ("I also like the gulls", "I dreamt of Al")
        exchange(
            talk,
            standin,
            "Tell me",
            ". ".join(words),
            reading(thoughts=[thought(content, content) for content in words]),
        )
        assert dict(SelfLogEntry.objects.values_list("content", "mentions_user")) == {words[0]: False, words[1]: True}


def test_what_is_unabsorbed_is_found_by_its_index(talk: Talk, given_up: Extraction) -> None:
    if connection.vendor != "sqlite":
        pytest.skip("PostgreSQL reads a table this small without any index")
    conversation = uuid.UUID(talk.conversation)
    for rows in (Extraction.objects.unabsorbed(), Extraction.objects.waiting()):
        plan = rows.filter(conversation_id=conversation).order_by("position").explain()
        assert "extraction_waiting" in plan
    assert Extraction.objects.unabsorbed().count() == 1
    assert Extraction.objects.waiting().count() == 0
