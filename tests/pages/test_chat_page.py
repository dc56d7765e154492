"""The chat page as a plain form, which is all it needs to be."""

from __future__ import annotations

import re
import uuid
from datetime import UTC, datetime
from typing import Any

import pytest
import time_machine
from django.test import Client
from pytest_django.fixtures import DjangoAssertNumQueries, Settings

from ella.conversation.models import Conversation, Message, Turn
from ella.people.models import Person
from tests.conversation.talking import Talk
from tests.standin import StandIn


@pytest.fixture
def talk(api: Any, person: Person) -> Talk:
    return Talk.of(api, person)


def send(browser: Client, text: str, client_id: str | None = None, **headers: str) -> Any:
    return browser.post("/", {"text": text, "client_id": client_id or uuid.uuid4().hex}, **headers)


def page_of(browser: Client, url: str = "/") -> str:
    answer = browser.get(url)
    assert answer.status_code == 200
    return answer.content.decode()


def said(page: str) -> list[str]:
    """Everything either of them said that is shown, in order."""
    shown = re.findall(r'data-part="(?:asked|reply)">.*?<p class="words" dir="auto">(.*?)</p>', page, re.S)
    return [re.sub("<[^>]+>", "", words) for words in shown]


class TestComing:
    def test_somebody_who_is_not_logged_in_is_led_to_the_door(self, client: Client, db: None) -> None:
        answer = client.get("/")
        assert answer.status_code == 302
        assert answer["Location"] == "/login/?next=/"

    def test_nothing_can_be_sent_without_a_login(self, client: Client, db: None) -> None:
        assert send(client, "Hello").status_code == 302
        assert not Turn.objects.exists()

    def test_an_empty_conversation_invites(self, browser: Client) -> None:
        assert "Nothing has been written here yet." in page_of(browser)

    def test_it_says_what_she_is_and_whether_a_model_writes(self, browser: Client, settings: Settings) -> None:
        assert "An AI character, not a human" in page_of(browser)
        assert "No language model is connected" in page_of(browser)
        settings.MODEL_CONNECTED = True
        assert "An AI character, not a human" in page_of(browser)
        assert "No language model is connected" not in page_of(browser)

    def test_the_page_is_kept_by_no_cache(self, browser: Client) -> None:
        assert "no-store" in browser.get("/")["Cache-Control"]


class TestSending:
    def test_a_message_is_answered_and_shown_after_a_redirect(self, browser: Client, standin: StandIn) -> None:
        standin.reply("Good morning to you.")
        answer = send(browser, "Good morning")
        assert answer.status_code == 302
        assert answer["Location"] == "/#newest"
        page = page_of(browser)
        assert said(page) == ["Good morning", "Good morning to you."]
        assert "A note from the house." in page
        assert "You are not talking with a human being" in page

    def test_the_same_form_sent_twice_makes_one_turn(self, browser: Client, standin: StandIn) -> None:
        send(browser, "Once", "same")
        assert send(browser, "Once", "same").status_code == 302
        assert Message.objects.count() == 2

    def test_line_ends_are_the_same_words_by_form_and_by_script(
        self, browser: Client, talk: Talk, standin: StandIn
    ) -> None:
        send(browser, "One\r\nTwo", "same")
        assert talk.say("One\nTwo", "same")["message"]["text"] == "One\nTwo"
        assert Turn.objects.count() == 1

    @pytest.mark.parametrize(
        ("text", "why"),
        [
            ("", "There is nothing in the box yet."),
            ("   \n ", "There is nothing in the box yet."),
            ("x" * 8001, "This is too long to send at once"),
            ("zero \x00 byte", "This could not be read"),
        ],
        ids=["empty", "blank", "long", "nul"],
    )
    def test_what_cannot_be_sent_is_said_and_stays_in_the_box(
        self, browser: Client, standin: StandIn, text: str, why: str
    ) -> None:
        answer = send(browser, text)
        assert answer.status_code == 400
        assert why in answer.content.decode()
        assert text in answer.content.decode()
        assert not Turn.objects.exists()
        assert standin.requests() == []

    def test_a_form_that_was_sent_already_with_other_words_is_given_back(
        self, browser: Client, standin: StandIn
    ) -> None:
        send(browser, "What I said", "same")
        answer = send(browser, "What I wrote after going back", "same")
        assert answer.status_code == 409
        page = answer.content.decode()
        assert "What I wrote after going back</textarea>" in page
        assert 'name="client_id" value="same">\n      <label' not in page
        assert Message.objects.filter(role="person").count() == 1

    def test_too_many_at_once_are_kept_in_the_box(
        self, browser: Client, talk: Talk, standin: StandIn, lavish_throttles: dict[str, str]
    ) -> None:
        lavish_throttles["messages"] = "2/min"
        talk.say("By the API")
        send(browser, "By the page")
        answer = send(browser, "One too many")
        assert answer.status_code == 429
        assert int(answer["Retry-After"]) > 0
        assert "One too many</textarea>" in answer.content.decode()
        assert Turn.objects.count() == 2

    def test_somebody_without_a_conversation_gets_one_by_writing(
        self, client: Client, db: None, standin: StandIn
    ) -> None:
        staff = Person.objects.create_user("staff", "not-a-secret")
        client.force_login(staff)
        page_of(client)
        assert not Conversation.objects.exists()
        send(client, "Hello")
        send(client, "Hello again")
        assert Conversation.objects.get().owner == staff
        assert Turn.objects.count() == 2


class TestFailing:
    def test_a_turn_that_failed_is_told_and_can_be_tried_again(self, browser: Client, standin: StandIn) -> None:
        standin.fail("bad_request")
        send(browser, "Hello", "first")
        page = page_of(browser)
        assert "The model did not accept the request." in page
        assert 'name="client_id" value="first"' in page
        standin.reply("Now I can.")
        answer = browser.post("/", {"client_id": "first"})
        assert answer.status_code == 302
        assert said(page_of(browser)) == ["Hello", "Now I can."]
        assert Message.objects.count() == 2

    def test_trying_again_what_somebody_else_said_finds_nothing(
        self, client: Client, other_person: Person, talk: Talk, standin: StandIn
    ) -> None:
        standin.fail("bad_request")
        talk.post("Mine alone", "first")
        client.force_login(other_person)
        before = Turn.objects.values().get()
        assert client.post("/", {"client_id": "first"}).status_code == 404
        assert Turn.objects.values().get() == before

    def test_trying_again_takes_the_words_of_the_conversation_that_is_shown(
        self, browser: Client, talk: Talk, standin: StandIn
    ) -> None:
        other = talk.api.post("/api/v1/conversations", {"title": "Boats"}, format="json").json()["id"]
        for address, text in (("/", "About home"), (f"/talk/{other}/", "About boats")):
            standin.fail("bad_request")
            browser.post(address, {"text": text, "client_id": "same"})
        for address, text in (("/", "About home"), (f"/talk/{other}/", "About boats")):
            standin.reply("Now I can.")
            assert browser.post(address, {"client_id": "same"}).status_code == 302
            assert said(page_of(browser, address)) == [text, "Now I can."]

    def test_trying_again_in_another_conversation_finds_nothing(
        self, browser: Client, talk: Talk, standin: StandIn
    ) -> None:
        other = talk.api.post("/api/v1/conversations", {"title": "Boats"}, format="json").json()["id"]
        standin.fail("bad_request")
        send(browser, "About home", "first")
        before = Turn.objects.values().get()
        assert browser.post(f"/talk/{other}/", {"client_id": "first"}).status_code == 404
        assert Turn.objects.values().get() == before

    @pytest.mark.parametrize("client_id", ["", "nul\x00", "x" * 65])
    def test_trying_again_under_what_is_no_client_id_finds_nothing(self, browser: Client, client_id: str) -> None:
        assert browser.post("/", {"client_id": client_id}).status_code == 404
        assert not Turn.objects.exists()

    def test_a_turn_that_is_being_answered_elsewhere_is_shown_as_waiting(
        self, browser: Client, talk: Talk, standin: StandIn
    ) -> None:
        talk.say("Hello")
        Turn.objects.update(status=Turn.Status.RUNNING)
        Message.objects.filter(role="ella").delete()
        assert re.search(r'<p class="waiting" data-part="waiting">', page_of(browser))


class TestReading:
    def test_markup_stays_text(self, browser: Client, standin: StandIn) -> None:
        standin.reply("<b>bold</b> & </script><script>alert(1)</script>")
        send(browser, "<img src=x onerror=alert(1)>")
        page = page_of(browser)
        assert "<img src=x" not in page
        assert "<script>alert" not in page
        assert "&lt;b&gt;bold&lt;/b&gt; &amp; " in page

    def test_a_crisis_reply_has_links_and_stands_apart(self, browser: Client, person: Person, standin: StandIn) -> None:
        Person.objects.filter(pk=person.pk).update(country="GB")
        send(browser, "I want to kill myself")
        page = page_of(browser)
        assert '<a href="tel:116123">116 123</a>' in page
        assert "said-ella from-table" in page
        assert standin.requests(path="/v1/messages") == []

    def test_days_and_times_are_those_of_the_persons_own_clock(
        self, browser: Client, person: Person, talk: Talk, standin: StandIn
    ) -> None:
        Person.objects.filter(pk=person.pk).update(timezone="Asia/Tokyo")
        moments = [datetime(2025, 12, 31, 12, 0, tzinfo=UTC), datetime(2026, 3, 2, 14, 0, tzinfo=UTC)]
        moments += [datetime(2026, 3, 2, 15, 30, tzinfo=UTC), datetime(2026, 3, 3, 16, 0, tzinfo=UTC)]
        for moment in moments:
            with time_machine.travel(moment, tick=False):
                talk.say("Hello")
        with time_machine.travel(datetime(2026, 3, 3, 17, 0, tzinfo=UTC), tick=False):
            page = page_of(browser)
        days = re.findall(r'<li class="day"><h2><time datetime="([\d-]+)">([^<]+)</time>', page)
        assert days == [
            ("2025-12-31", "Wednesday 31 December 2025"),
            ("2026-03-02", "Monday 2 March"),
            ("2026-03-03", "Yesterday"),
            ("2026-03-04", "Today"),
        ]
        assert (
            '<time datetime="2026-03-03T00:30:00+09:00" title="Tuesday 3 March 2026, 00:30:00 JST">00:30</time>' in page
        )

    def test_earlier_turns_stand_on_pages_of_their_own(self, browser: Client, talk: Talk, standin: StandIn) -> None:
        for number in range(1, 29):
            talk.say(f"Number {number}")
        newest = page_of(browser)
        assert said(newest)[::2] == [f"Number {number}" for number in range(4, 29)]
        [link] = re.findall(r'id="earlier" href="(\?before=\d+)"', newest)
        earlier = page_of(browser, f"/{link}")
        assert said(earlier)[::2] == ["Number 1", "Number 2", "Number 3"]
        assert "Back to the newest" in earlier
        # The API's cursor the script goes on with leads to the same rows.
        [url] = re.findall(r'"earlier": "([^"]+)"', newest)
        rows = talk.api.get(url.encode().decode("unicode_escape")).json()["results"]
        assert [row["text"] for row in rows if row["role"] == "person"] == ["Number 3", "Number 2", "Number 1"]

    @pytest.mark.parametrize("before", ["abc", "-1", "1.5", "9" * 30, "١"])
    def test_a_position_that_is_none_is_not_found(self, browser: Client, before: str) -> None:
        assert browser.get("/", {"before": before}).status_code == 404

    @pytest.mark.parametrize("turns", [1, 12])
    def test_a_page_asks_the_database_five_things_however_long_it_is(
        self,
        browser: Client,
        talk: Talk,
        standin: StandIn,
        django_assert_num_queries: DjangoAssertNumQueries,
        turns: int,
    ) -> None:
        for number in range(turns):
            talk.say(f"Number {number}")
        with django_assert_num_queries(5):  # the login, its person; their conversation, its turns, their messages
            page_of(browser)


class TestWhoseConversation:
    def test_another_conversation_of_ones_own_has_its_address(
        self, browser: Client, talk: Talk, standin: StandIn
    ) -> None:
        other = talk.api.post("/api/v1/conversations", {"title": "Boats"}, format="json").json()["id"]
        answer = browser.post(f"/talk/{other}/", {"text": "About boats", "client_id": "boats"})
        assert answer["Location"] == f"/talk/{other}/#newest"
        assert "About boats" in said(page_of(browser, f"/talk/{other}/"))
        assert said(page_of(browser)) == []

    def test_somebody_elses_is_not_found_and_nothing_happens(
        self, client: Client, other_person: Person, talk: Talk, standin: StandIn
    ) -> None:
        talk.say("Between us")
        client.force_login(other_person)
        address = f"/talk/{talk.conversation}/"
        assert client.get(address).status_code == 404
        assert client.post(address, {"text": "Hello", "client_id": "x"}).status_code == 404
        assert Turn.objects.count() == 1
