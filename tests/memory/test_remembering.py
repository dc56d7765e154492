"""`remember`: what a model proposes about an exchange, item by item, and what the next turn then uses."""

from __future__ import annotations

import json
import uuid
from datetime import timedelta
from typing import Any
from unittest.mock import patch

import pytest
import time_machine
from pytest_django.fixtures import Settings

from ella.clock import utc_now
from ella.llm.models import ModelCall, Purpose
from ella.llm.outcome import CallOutcome
from ella.memory.models import Extraction, ExtractionItem, SceneItem
from ella.memory.reading import absorb, load_exchange, read_waiting_exchanges
from ella.memory.services import claim_next
from ella.memory.sweep import nudge_what_waits
from ella.people.models import Person
from ledger.models import Fact, Promise, Relationship
from ledger.services import make_promise
from selflog.models import SelfLogEntry
from tests.conversation.talking import Talk
from tests.standin import StandIn

READER = {"contains": "open_promises"}


@pytest.fixture
def talk(api: Any, person: Person) -> Talk:
    return Talk.of(api, person)


def fact(**changes: str) -> dict[str, str]:
    given = {
        "subject": "user.sister", "predicate": "lives_in", "object": "Porto", "basis": "told",
        "when_words": "", "evidence": "My sister lives in Porto",
    }  # fmt: skip
    return {**given, **changes}


def promise(change: str, what: str, evidence: str, *, who: str = "person", when_words: str = "") -> dict[str, str]:
    to = "ella" if who == "person" else "person"
    return {"change": change, "who": who, "to": to, "what": what, "when_words": when_words, "evidence": evidence}


def thought(content: str, evidence: str, about: list[str] | None = None, certainty: str = "happened") -> dict[str, Any]:
    return {"content": content, "about": about or [], "certainty": certainty, "evidence": evidence}


def reading(**lists: list[Any]) -> dict[str, list[Any]]:
    return {"facts": [], "scene": [], "promises": [], "relationships": [], "thoughts": [], **lists}


def exchange(talk: Talk, standin: StandIn, said: str, answered: str, answer: Any) -> dict[str, Any]:
    """One exchange with chosen words and a chosen reading of it."""
    standin.reply(answered, match={"contains": said[:20]})
    done = talk.say(said)
    standin.reply(json=answer, match=READER)
    talk.remember()
    return done


def refusals() -> list[str]:
    return list(ExtractionItem.objects.filter(outcome="refused").order_by("index").values_list("reason", flat=True))


def own_facts(person: Person) -> Any:
    return Fact.objects.for_owner(person.pk).filter(source_message_id__isnull=False)


class TestAnExchange:
    def test_everything_it_changed_lands_and_the_next_prompt_has_it(
        self, talk: Talk, standin: StandIn, person: Person
    ) -> None:
        exchange(
            talk, standin,
            "My sister lives in Porto. I put the phone on the couch. I'll send you the map tomorrow.",
            "I keep thinking about the gulls. I am glad you told me.",
            reading(
                facts=[fact()],
                scene=[{"thing": "phone", "state": "on the couch", "evidence": "I put the phone on the couch"}],
                promises=[promise("made", "send the map", "I'll send you the map tomorrow", when_words="tomorrow")],
                relationships=[
                    {
                        "who": "ella", "towards": "person", "state": "glad of her trust",
                        "cause": "she told of her sister", "evidence": "I am glad you told me",
                    }
                ],
                thoughts=[thought("I keep thinking about the gulls", "I keep thinking about the gulls", ["world"])],
            ),
        )  # fmt: skip
        assert refusals() == []
        stored = own_facts(person).get()
        assert (stored.tier, stored.subject, stored.object) == ("observed", "user.sister", "Porto")
        assert Promise.objects.get().due_day is not None
        assert Relationship.objects.get().state == "glad of her trust"
        assert SelfLogEntry.objects.get().content == "I keep thinking about the gulls"
        said = talk.say("And what now?")
        shown = str(ModelCall.objects.get(turn_id=said["turn"]["id"]).section_map)
        for words in ("Porto", "on the couch", "send the map", "glad of her trust", "gulls"):
            assert words in shown

    def test_until_it_was_read_the_exchange_itself_is_shown(self, talk: Talk, standin: StandIn) -> None:
        standin.reply("The kettle whistles.")
        talk.say("My sister lives in Porto.")
        said = talk.say("Hm")
        sections = ModelCall.objects.get(turn_id=said["turn"]["id"]).section_map
        latest = [section for section in sections if section["priority"] == "P1"]
        assert "Porto" in str(latest)
        assert "kettle" in str(latest)

    def test_the_same_answer_twice_changes_nothing(self, talk: Talk, standin: StandIn, person: Person) -> None:
        answer = reading(facts=[fact()])
        exchange(talk, standin, "My sister lives in Porto.", "Nice.", answer)
        before = (Fact.objects.count(), ExtractionItem.objects.count())
        assert talk.remember() == 0
        again = exchange(talk, standin, "My sister lives in Porto, you know.", "I know.", answer)
        assert Fact.objects.count() == before[0]
        assert ExtractionItem.objects.of_turn(again["turn"]["id"]).get().outcome == "unchanged"


BAD = {
    "invented evidence": (reading(facts=[fact(evidence="My brother lives in Rome")]), "does not occur"),
    "no evidence": (reading(facts=[fact(evidence="")]), "no evidence"),
    "her words about the person": (reading(facts=[fact(evidence="You told me of Porto")]), "Ella's words"),
    "a tier": (reading(facts=[{**fact(), "tier": "canon"}]), "tier"),
    "an id": (reading(facts=[{**fact(), "id": str(uuid.uuid4())}]), "id"),
    "a null object": (reading(facts=[{**fact(), "object": None}]), "object"),
    "a huge object": (reading(facts=[fact(object="x" * 5_000)]), "object"),
    "text in place of a list": (reading(scene="the phone is gone"), "list"),  # type: ignore[arg-type]
    "an unknown subject": (reading(facts=[fact(subject="moon.base")]), "subject"),
    "about the system": (reading(facts=[fact(subject="ella", predicate="is", object="an AI model")]), "system"),
    "a promise by the other": (
        reading(promises=[promise("made", "call", "My sister lives in Porto", who="ella")]),
        "the one who says it",
    ),
    "the end of no promise": (
        reading(promises=[promise("kept", "send the map", "My sister lives in Porto")]),
        "no open promise",
    ),
    "a thought of the person's": (
        reading(thoughts=[thought("I have a sister", "My sister lives in Porto", certainty="maybe")]),
        "Ella said",
    ),
}  # fmt: skip


class TestBadItems:
    @pytest.mark.parametrize(("answer", "reason"), BAD.values(), ids=BAD)
    def test_one_is_refused_with_its_reason_and_the_others_land(
        self, talk: Talk, standin: StandIn, person: Person, answer: dict[str, Any], reason: str
    ) -> None:
        good = {"thing": "phone", "state": "on the couch", "evidence": "the phone is on the couch"}
        beside = {"scene": [good]} if isinstance(answer["scene"], list) else {"facts": [fact()]}
        answer = {**answer, **beside}
        said = "My sister lives in Porto, and the phone is on the couch."
        exchange(talk, standin, said, "You told me of Porto before.", answer)
        assert len(refusals()) == 1
        assert reason in refusals()[0]
        assert ExtractionItem.objects.filter(outcome="accepted").count() == 1
        assert not own_facts(person).filter(tier="canon").exists()

    def test_what_ella_says_of_her_world_is_inferred_and_only_where_nothing_stands(
        self, talk: Talk, standin: StandIn, person: Person
    ) -> None:
        bakery = fact(subject="world.bakery", predicate="name", object="Moreno", evidence="The bakery is called Moreno")
        door = fact(subject="ellahome.exterior.door", predicate="colour", object="pink", evidence="My door is pink")
        answered = "The bakery is called Moreno. My door is pink."
        exchange(talk, standin, "Tell me of the village", answered, reading(facts=[bakery, door]))
        assert own_facts(person).get().tier == "inferred"
        assert "something stands there" in refusals()[0]

    def test_what_the_person_says_of_her_world_stands_beside_it(
        self, talk: Talk, standin: StandIn, person: Person
    ) -> None:
        door = fact(subject="ellahome.exterior.door", predicate="colour", object="pink", evidence="Your door is pink")
        exchange(talk, standin, "Your door is pink, I think.", "Is it?", reading(facts=[door]))
        assert own_facts(person).get().tier == "user_claim"
        assert not Fact.objects.filter(status="contested").exists()


class TestTheScene:
    def test_the_last_state_holds_and_the_one_before_can_still_be_told(self, talk: Talk, standin: StandIn) -> None:
        for place in ("in her hand", "on the couch"):
            item = {"thing": "The phone", "state": place, "evidence": "phone"}
            exchange(talk, standin, f"The phone is {place} now", "I see.", reading(scene=[item]))
        assert SceneItem.objects.get(ended_at__isnull=True).state == "on the couch"
        assert SceneItem.objects.get(ended_at__isnull=False).ended_because == "now: on the couch"

    def test_a_thing_that_left_is_not_shown_any_more(self, talk: Talk, standin: StandIn) -> None:
        for state in ("on the couch", ""):
            item = {"thing": "phone", "state": state, "evidence": "phone"}
            exchange(talk, standin, f"The phone story {state}", "I see.", reading(scene=[item]))
        assert not SceneItem.objects.filter(ended_at__isnull=True).exists()


class TestPromises:
    def test_one_is_kept_by_its_words(self, talk: Talk, standin: StandIn, person: Person) -> None:
        make_promise(actor="test", owner=person, from_who="Nour", to_who="Ella", what="send the map of the coast")
        item = promise("kept", "the map", "Here is the map")
        exchange(talk, standin, "Here is the map!", "Thank you.", reading(promises=[item]))
        assert Promise.objects.get().status == "kept"


class TestWhenReadingFails:
    def test_a_failed_call_is_tried_again_after_a_pause_and_nothing_is_lost(
        self, talk: Talk, standin: StandIn, person: Person
    ) -> None:
        standin.reply("Nice.")
        talk.say("My sister lives in Porto.")
        standin.fail("malformed_output", times=9, match=READER)
        assert talk.remember() == 0
        row = Extraction.objects.get()
        assert (row.status, row.error_code, row.attempts) == ("pending", "model_malformed", 1)
        assert ModelCall.objects.filter(purpose=Purpose.MEMORY_EXTRACT, status="failed").count() == 1
        assert talk.remember() == 0
        standin.stop_failing()
        standin.reply(json=reading(facts=[fact()]), match=READER)
        with time_machine.travel(utc_now() + timedelta(minutes=1)):
            assert talk.remember() == 1
        assert own_facts(person).count() == 1

    def test_after_the_last_attempt_it_is_given_up_and_the_next_exchange_is_read(
        self, talk: Talk, standin: StandIn, settings: Settings
    ) -> None:
        settings.REMEMBER_ATTEMPTS = 1
        talk.say("First")
        talk.say("Second")
        standin.fail("malformed_output", times=1, match=READER)
        assert talk.remember() == 0
        assert talk.remember() == 1
        assert list(Extraction.objects.order_by("position").values_list("status", flat=True)) == ["failed", "done"]

    def test_a_dead_workers_claim_is_taken_over_and_its_late_answer_counts_for_nothing(
        self, talk: Talk, standin: StandIn, person: Person
    ) -> None:
        talk.say("My sister lives in Porto.")
        conversation = uuid.UUID(talk.conversation)
        dead = claim_next(conversation_id=conversation, now=utc_now())
        assert dead is not None
        assert claim_next(conversation_id=conversation, now=utc_now()) is None
        with time_machine.travel(utc_now() + timedelta(minutes=5)):
            assert nudge_what_waits(utc_now()) == 1
            standin.reply(json=reading(facts=[fact()]), match=READER)
            assert read_waiting_exchanges(conversation) == 1
        call = ModelCall.objects.filter(purpose=Purpose.MEMORY_EXTRACT).get()
        late = absorb(dead, load_exchange(dead.turn_id), [], call.pk, CallOutcome())
        assert late is False
        assert own_facts(person).count() == 1
        assert ExtractionItem.objects.count() == 1

    def test_exchanges_are_read_in_their_order(self, talk: Talk, standin: StandIn) -> None:
        for text in ("one", "two", "three"):
            talk.say(text)
        assert talk.remember() == 3
        asked = [
            request["body"]["messages"][0]["content"][0]["text"]
            for request in standin.requests(contains="open_promises")
        ]
        assert [word for text in asked for word in ("one", "two", "three") if f'"text": "{word}"' in text] == [
            "one",
            "two",
            "three",
        ]

    def test_a_spent_budget_waits_for_the_next_day_and_is_never_given_up(
        self, talk: Talk, standin: StandIn, settings: Settings, person: Person
    ) -> None:
        talk.say("My sister lives in Porto.")
        enough, settings.MODEL_DAILY_BUDGET_PER_PERSON_USD = settings.MODEL_DAILY_BUDGET_PER_PERSON_USD, "0.000001"
        settings.REMEMBER_ATTEMPTS = 1
        assert talk.remember() == 0
        row = Extraction.objects.get()
        assert (row.status, row.error_code, row.attempts) == ("pending", "budget_exceeded", 0)
        assert row.not_before > utc_now()
        settings.MODEL_DAILY_BUDGET_PER_PERSON_USD = enough
        standin.reply(json=reading(facts=[fact()]), match=READER)
        with time_machine.travel(row.not_before + timedelta(seconds=1)):
            assert talk.remember() == 1
        assert own_facts(person).count() == 1

    def test_a_fault_of_ours_is_paid_for_tried_again_and_given_up_in_the_end(
        self, talk: Talk, standin: StandIn, settings: Settings
    ) -> None:
        settings.REMEMBER_ATTEMPTS = 2
        talk.say("First")
        talk.say("Second")
        with patch("ella.memory.reading.apply_items", side_effect=RuntimeError("a bug")):
            assert talk.remember() == 0
            with time_machine.travel(utc_now() + timedelta(minutes=1)):
                assert talk.remember() == 0
        failed = Extraction.objects.get(status="failed")
        assert failed.error_code == "apply_failed"
        calls = ModelCall.objects.filter(turn_id=failed.turn_id, purpose=Purpose.MEMORY_EXTRACT)
        assert [call.cost_nano_usd > 0 for call in calls] == [True, True]
        assert talk.remember() == 1

    def test_an_exchange_whose_workers_always_die_is_not_read_for_ever(
        self, talk: Talk, standin: StandIn, settings: Settings
    ) -> None:
        settings.REMEMBER_ATTEMPTS = 3
        talk.say("First")
        conversation = uuid.UUID(talk.conversation)
        for minutes in range(0, 30, 5):
            with time_machine.travel(utc_now() + timedelta(minutes=minutes)):
                claim_next(conversation_id=conversation, now=utc_now())
        row = Extraction.objects.get()
        assert (row.status, row.attempts, row.error_code) == ("failed", 3, "gave_up")

    def test_one_that_was_given_up_is_still_shown_to_her_as_it_was_said(self, talk: Talk, standin: StandIn) -> None:
        talk.say("My sister lives in Porto.")
        Extraction.objects.update(status="failed")
        said = talk.say("Hm")
        shown = ModelCall.objects.get(turn_id=said["turn"]["id"]).section_map
        assert "Porto" in str([section for section in shown if section["priority"] == "P1"])


class TestGuesses:
    def test_nobody_is_held_to_a_day_that_is_a_guess(self, talk: Talk, standin: StandIn) -> None:
        said = "I'll send the map next month"
        exchange(
            talk,
            standin,
            said,
            "Good.",
            reading(promises=[promise("made", "send the map", said, when_words="next month")]),
        )
        stored = Promise.objects.get()
        assert stored.due_day is None
        assert stored.due_words.startswith("next month (said 20")

    def test_a_relative_word_in_the_promise_itself_gets_its_day(self, talk: Talk, standin: StandIn) -> None:
        said = "I'll call you tomorrow"
        exchange(talk, standin, said, "Good.", reading(promises=[promise("made", "call you tomorrow", said)]))
        assert Promise.objects.get().due_day is not None

    def test_ella_cannot_say_that_the_person_kept_their_word(
        self, talk: Talk, standin: StandIn, person: Person
    ) -> None:
        make_promise(actor="test", owner=person, from_who="Nour", to_who="Ella", what="send the map of the coast")
        item = promise("kept", "the map", "You kept your promise")
        exchange(talk, standin, "Hm", "You kept your promise about the map.", reading(promises=[item]))
        assert Promise.objects.get().status == "open"
        assert "the person's words" in refusals()[0]

    def test_a_number_no_column_takes_costs_only_its_item(self, talk: Talk, standin: StandIn, person: Person) -> None:
        odd = json.dumps(reading(facts=[fact(), fact(subject="odd")])).replace('"odd"', "1e999")
        standin.reply("Nice.", match={"contains": "My sister lives"})
        talk.say("My sister lives in Porto")
        standin.reply(odd, match=READER)
        assert talk.remember() == 1
        assert own_facts(person).count() == 1
        assert len(refusals()) == 1
