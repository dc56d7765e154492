"""The same message many times at once, many messages at once, and processes that die in the middle."""

from __future__ import annotations

import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import httpx2
import psutil
import pytest

from ella.demonstration.client import ApiPerson
from ella.demonstration.house import House

READER = {"contains": "open_promises"}


@pytest.fixture
def someone(house: House) -> Iterator[ApiPerson]:
    control(house, "POST", "reset")
    yield ApiPerson.register(house.url, display_name="Nour", timezone="Europe/Lisbon")
    control(house, "POST", "reset")


def control(house: House, method: str, name: str, body: Any = None) -> Any:
    answer = httpx2.request(method, f"{house.model_url}/control/{name}", json=body, timeout=10)
    answer.raise_for_status()
    return answer.json()


def asked(house: House, purpose: str = "claude-sonnet") -> list[dict[str, Any]]:
    requests = control(house, "GET", "requests")["data"]
    return [request for request in requests if purpose in str(request["body"]) and request["path"] == "/v1/messages"]


def messages(someone: ApiPerson) -> list[dict[str, Any]]:
    url = f"/conversations/{someone.conversation}/messages"
    rows: list[dict[str, Any]] = someone.http.get(url, params={"page_size": 200}).json()["results"]
    return rows[::-1]


def post(someone: ApiPerson, text: str, client_id: str) -> httpx2.Response:
    url = f"/conversations/{someone.conversation}/messages"
    return someone.http.post(url, json={"text": text, "client_id": client_id})


def kill_web_while_it_answers(house: House, someone: ApiPerson, text: str, client_id: str) -> None:
    """The model has been asked and is silent when the web process gets `kill -9`; another one starts in its place."""
    control(house, "POST", "pace", {"first_byte_s": 5.0})
    with ThreadPoolExecutor(1) as other:
        broken = other.submit(post, someone, text, client_id)
        wait_for(lambda: any(request["outcome"] == "open" for request in asked(house)))
        house.kill("web")
        with pytest.raises(httpx2.HTTPError):
            broken.result()
    control(house, "POST", "pace", {"first_byte_s": 0.0})
    house.start("web")


class TestAtOnce:
    def test_the_same_message_twenty_times_gives_one_turn_and_one_reply(self, house: House, someone: ApiPerson) -> None:
        control(house, "POST", "pace", {"first_byte_s": 0.5})
        with ThreadPoolExecutor(20) as crowd:
            answers = list(crowd.map(lambda _: post(someone, "Hello there", "one"), range(20)))
        assert {answer.status_code for answer in answers} == {201}
        assert len({answer.json()["turn"]["id"] for answer in answers}) == 1
        assert len({answer.json()["reply"]["id"] for answer in answers}) == 1
        assert [row["role"] for row in messages(someone)] == ["person", "ella"]
        assert len(asked(house)) == 1

    def test_ten_messages_are_all_answered_in_order_and_none_twice(self, house: House, someone: ApiPerson) -> None:
        control(house, "POST", "pace", {"first_byte_s": 0.2})
        with ThreadPoolExecutor(10) as crowd:
            answers = list(crowd.map(lambda n: post(someone, f"Message number {n}", f"n{n}"), range(10)))
        assert {answer.status_code for answer in answers} == {201}
        rows = messages(someone)
        assert [row["role"] for row in rows] == ["person", "ella"] * 10
        said = [row["text"] for row in rows if row["role"] == "person"]
        assert sorted(said) == sorted(f"Message number {n}" for n in range(10))
        order = [request["body"]["messages"][-2]["content"][0]["text"] for request in asked(house)]
        assert [text.split(") ", 1)[1] for text in order] == said
        replied = [row["created_at"] for row in rows if row["role"] == "ella"]
        assert replied == sorted(replied)

    def test_a_client_that_goes_away_still_gets_its_answer_later(self, house: House, someone: ApiPerson) -> None:
        control(house, "POST", "pace", {"first_byte_s": 1.0})
        url = f"/conversations/{someone.conversation}/messages"
        body = {"text": "I will be in a tunnel", "client_id": "tunnel"}
        with someone.http.stream("POST", url, json=body, headers={"Accept": "text/event-stream"}) as stream:
            next(stream.iter_lines())
        wait_for(lambda: [row["role"] for row in messages(someone)] == ["person", "ella"])
        assert len(asked(house)) == 1


class TestDying:
    def test_the_web_process_killed_in_mid_stream_leaves_a_turn_that_goes_on(
        self, house: House, someone: ApiPerson
    ) -> None:
        kill_web_while_it_answers(house, someone, "Are you there?", "mid")
        answer = post(someone, "Are you there?", "mid")
        assert answer.status_code == 201, answer.text
        assert [row["role"] for row in messages(someone)] == ["person", "ella"]
        assert answer.json()["turn"]["status"] == "done"

    def test_a_turn_whose_client_never_comes_back_ends_as_not_answered(self, house: House, someone: ApiPerson) -> None:
        kill_web_while_it_answers(house, someone, "Hello?", "orphan")
        answered = post(someone, "Then something else", "next")
        assert answered.status_code == 201, answered.text
        statuses = {row["client_id"]: row["turn_status"] for row in messages(someone)}
        assert statuses == {"orphan": "failed", "next": "done"}
        again = post(someone, "Hello?", "orphan")
        assert again.status_code == 201, again.text
        assert [row["client_id"] for row in messages(someone)] == ["orphan", "orphan", "next", "next"]

    def test_a_worker_killed_while_it_remembers_is_replaced_and_each_thing_lands_once(
        self, house: House, someone: ApiPerson
    ) -> None:
        slow = {"fail": "slow_first_byte", "seconds": 20, "times": 1, "match": READER}
        control(house, "POST", "failures", slow)
        turn = post(someone, "I put my phone on the couch.", "phone").json()["turn"]["id"]
        wait_for(lambda: any(request["outcome"] == "open" for request in asked(house, "open_promises")))
        house.kill("worker")
        house.start("worker")
        assert someone.wait_until_read(turn) == "done"
        read = someone.trace(turn)["read"]
        assert len([item for item in read if item["kind"] == "scene"]) == 1

    def test_an_idle_workers_children_killed_do_not_end_remembering(self, house: House, someone: ApiPerson) -> None:
        """As a machine that runs out of memory would do it: the worker itself stays, whatever it runs tasks in goes."""
        someone.wait_until_read(post(someone, "Hello", "before").json()["turn"]["id"])
        for child in psutil.Process(house.process("worker").pid).children(recursive=True):
            child.kill()
        turn = post(someone, "I put my keys on the windowsill.", "keys").json()["turn"]["id"]
        assert someone.wait_until_read(turn) == "done"


def wait_for(holds: Any, *, seconds: float = 30.0) -> None:
    deadline = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < deadline, "it did not come true in time"
        time.sleep(0.05)
