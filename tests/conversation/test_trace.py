"""What a person is told of what was before her, and what they may read of what is held about them."""

from __future__ import annotations

from rest_framework.test import APIClient

from ella.people.models import Person
from ledger.models import Tier
from ledger.services import assert_fact, make_promise
from tests.conversation.talking import Talk
from tests.standin import StandIn


def told(owner: Person, subject: str, predicate: str, object: str) -> None:
    assert_fact(
        actor="test", owner=owner, tier=Tier.OBSERVED, subject=subject, predicate=predicate, object=object,
        confidence=0.9, evidence="said so",
    )  # fmt: skip


class TestTrace:
    def test_it_names_the_rows_behind_the_lines_and_keeps_the_rules_to_itself(
        self, talk: Talk, standin: StandIn, person: Person
    ) -> None:
        told(person, "user.sister", "lives_in", "Porto")
        make_promise(actor="test", owner=person, from_who="Nour", to_who="Ella", what="bring the map")
        talk.say("Hello")
        said = talk.say("Where does she live?")
        trace = talk.api.get(f"/api/v1/turns/{said['turn']['id']}/trace").json()
        assert trace["model_asked"] is True
        assert any("Porto" in item["text"] for item in trace["facts"])
        assert any("bring the map" in item["text"] for item in trace["promises"])
        assert len(trace["passages"]) == 3
        assert "What is shown is ranked" not in str(trace)
        assert "You are Ella" not in str(trace)

    def test_what_was_read_out_of_the_exchange_is_told_with_its_fate(self, talk: Talk, standin: StandIn) -> None:
        said = talk.say("I put my phone on the couch.")
        scene = {"thing": "phone", "state": "on the couch", "evidence": "my phone on the couch"}
        ghost = {"thing": "ghost", "state": "in the hall", "evidence": "never said"}
        reading = {"facts": [], "scene": [scene, ghost], "promises": [], "relationships": [], "thoughts": []}
        standin.reply(json=reading, match={"contains": "open_promises"})
        talk.remember()
        read = talk.api.get(f"/api/v1/turns/{said['turn']['id']}/trace").json()["read"]
        assert [(item["outcome"], item["proposed"]["thing"]) for item in read] == [
            ("accepted", "phone"),
            ("refused", "ghost"),
        ]
        assert "does not occur" in read[1]["reason"]


class TestFacts:
    def test_they_are_ones_own_and_can_be_asked_for_by_subject_tier_and_status(
        self, api: APIClient, other_api: APIClient, person: Person, other_person: Person
    ) -> None:
        told(person, "user.sister", "lives_in", "Porto")
        told(person, "user.sisterhood", "name", "The Gulls")
        told(other_person, "user.sister", "lives_in", "Rome")
        rows = api.get("/api/v1/facts", {"subject": "user.sister"}).json()["results"]
        assert [(row["object"], row["tier"], row["status"]) for row in rows] == [("Porto", "observed", "active")]
        assert {row["tier"] for row in api.get("/api/v1/facts", {"tier": "canon"}).json()["results"]} == {"canon"}
        assert api.get("/api/v1/facts", {"status": "retired"}).json()["results"] == []
        assert "Porto" not in str(other_api.get("/api/v1/facts").json())

    def test_a_tier_that_is_none_is_refused_by_its_name(self, api: APIClient) -> None:
        answer = api.get("/api/v1/facts", {"tier": "gospel"})
        assert answer.status_code == 400
        assert answer.json()["errors"][0]["attr"] == "tier"

    def test_they_come_in_pages(self, api: APIClient, person: Person) -> None:
        first = api.get("/api/v1/facts", {"page_size": 5}).json()
        second = api.get(first["next"]).json()
        assert len(first["results"]) == 5
        assert not {row["id"] for row in first["results"]} & {row["id"] for row in second["results"]}
