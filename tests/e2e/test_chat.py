"""The chat page as somebody meets it: writing, reading, and what happens when something does not go well."""

from __future__ import annotations

import re
import time

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.e2e.conftest import Visits
from tests.house import House, Visitor
from tests.standin import StandIn

pytestmark = pytest.mark.e2e

# Long enough to look at what is there before its end has come.
LONG_SENTENCE = (
    "There are herons on the mud, seven of them, and one old man with a bucket who comes at every low water, looks at "
    "the same three stones, and goes home again without having said a word to anybody, least of all to the herons."
)


def write(page: Page, text: str) -> None:
    page.get_by_label("Write to Ella").fill(text)
    page.get_by_role("button", name="Send").click()


def replies(page: Page) -> Locator:
    return page.locator(".said-ella:visible .words")


def said(visitor: Visitor) -> list[str]:
    """What the conversation holds once no turn is open: words are shown as they come, and stored a moment later."""
    for _ in range(100):
        rows = visitor.messages()
        if all(row["turn_status"] in ("done", "failed") for row in rows):
            break
        time.sleep(0.05)
    return [row["text"] for row in rows]


def told(page: Page, text: str) -> Locator:
    """What the page says of something that did not go well: beside the box, or under the message it concerns."""
    return page.locator("#telling, .unanswered p").filter(has_text=text)


def asked(page: Page) -> Locator:
    return page.locator(".said-person:visible .words")


class TestWriting:
    def test_words_arrive_sentence_by_sentence_and_the_box_is_free_meanwhile(
        self, visits: Visits, standin: StandIn
    ) -> None:
        standin.pace(token_s=0.1)
        standin.reply(f"The tide is out. {LONG_SENTENCE}")
        visitor = visits.house.visitor()
        page = visits.chat(visitor)
        box = page.get_by_label("Write to Ella")
        write(page, "What do you see?")
        expect(asked(page)).to_have_text("What do you see?")
        expect(page.get_by_text("Ella is writing")).to_be_visible()
        expect(box).to_have_value("")
        expect(replies(page)).to_have_text("The tide is out. ")
        expect(replies(page)).to_have_text(f"The tide is out. {LONG_SENTENCE}")
        expect(page.get_by_text("Ella is writing")).to_be_hidden()
        expect(box).to_be_focused()
        assert said(visitor) == ["What do you see?", f"The tide is out. {LONG_SENTENCE}"]

    def test_a_screen_reader_is_told_whole_sentences_once(self, visits: Visits, standin: StandIn) -> None:
        standin.reply("The tide is out. There are herons.")
        page = visits.chat()
        write(page, "What do you see?")
        aloud = page.locator("#aloud")
        expect(aloud.locator("p")).to_have_text(["The tide is out. ", "There are herons."])
        assert aloud.get_attribute("aria-live") == "polite"

    def test_what_was_said_is_there_after_a_reload_and_once(self, visits: Visits, standin: StandIn) -> None:
        standin.reply("Good morning to you.")
        visitor = visits.house.visitor()
        page = visits.chat(visitor)
        write(page, "Good morning")
        expect(replies(page)).to_have_text("Good morning to you.")
        page.reload()
        expect(asked(page)).to_have_text(["Good morning"])
        expect(replies(page)).to_have_text(["Good morning to you."])
        expect(page.get_by_role("heading", name="Today")).to_be_visible()
        assert said(visitor) == ["Good morning", "Good morning to you."]

    def test_a_second_message_waits_for_the_first_and_both_are_answered_in_order(
        self, visits: Visits, standin: StandIn
    ) -> None:
        standin.pace(first_byte_s=0.8)
        standin.reply("First answer.")
        standin.reply("Second answer.")
        visitor = visits.house.visitor()
        page = visits.chat(visitor)
        write(page, "One")
        expect(asked(page)).to_have_text(["One"])
        write(page, "Two")
        expect(page.get_by_text("Waiting for your earlier message")).to_be_visible()
        expect(page.locator(".said:visible .words")).to_have_text(["One", "First answer.", "Two", "Second answer."])
        assert said(visitor) == ["One", "First answer.", "Two", "Second answer."]

    def test_a_draft_survives_a_reload_and_not_the_logout(self, visits: Visits) -> None:
        visitor = visits.house.visitor()
        page = visits.chat(visitor)
        page.get_by_label("Write to Ella").fill("Half a thought")
        page.reload()
        expect(page.get_by_label("Write to Ella")).to_have_value("Half a thought")
        page.get_by_role("button", name="Log out").click()
        page.get_by_label("User name").fill(visitor.username)
        page.get_by_label("Password").fill(visitor.password)
        page.get_by_role("button", name="Log in").click()
        expect(page.get_by_label("Write to Ella")).to_be_focused()
        assert page.get_by_label("Write to Ella").input_value() == ""

    def test_it_says_that_she_is_no_human_and_that_no_model_is_connected(self, visits: Visits) -> None:
        page = visits.chat()
        expect(page.get_by_text("An AI character, not a human")).to_be_in_viewport()
        expect(page.get_by_text("No language model is connected")).to_be_in_viewport()
        assert page.get_by_role("heading", name="Nothing has been written here yet.").is_visible()

    def test_a_disclosure_is_a_note_of_the_house_and_told_once(self, visits: Visits) -> None:
        visitor = visits.house.visitor()
        page = visits.chat(visitor)
        write(page, "Hello")
        note = page.locator(".note:visible")
        expect(note).to_contain_text("A note from the house.")
        expect(note).to_contain_text("not talking with a human being")
        write(page, "Hello again")
        expect(replies(page)).to_have_count(2)
        expect(note).to_have_count(1)
        page.reload()
        expect(note).to_have_count(1)
        assert [bool(row["disclosure"]) for row in visitor.messages()] == [True, False, False, False]

    def test_markup_in_either_ones_words_stays_text(self, visits: Visits, standin: StandIn) -> None:
        nasty = '<img src=x onerror="alert(1)"><script>alert(2)</script>'
        standin.reply(f"You wrote {nasty} and I write it back.")
        visitor = visits.house.visitor()
        page = visits.chat(visitor)
        write(page, nasty)
        expect(replies(page)).to_have_text(f"You wrote {nasty} and I write it back.")
        page.reload()
        expect(asked(page)).to_have_text(nasty)
        expect(page.locator("#talk img, #talk script")).to_have_count(0)
        assert said(visitor)[0] == nasty

    def test_earlier_words_come_on_top_without_moving_what_is_read(self, visits: Visits) -> None:
        visitor = visits.house.visitor()
        for number in range(1, 31):
            visitor.say(f"Message {number}")
        page = visits.chat(visitor)
        expect(asked(page)).to_have_count(25)
        expect(page.get_by_text("Message 30", exact=True)).to_be_in_viewport()
        page.evaluate("window.scrollTo(0, 600)")
        seen = page.get_by_text("Message 12", exact=True)
        before = seen.evaluate("element => element.getBoundingClientRect().top")
        page.evaluate("document.getElementById('earlier').click()")
        expect(asked(page)).to_have_count(30)
        assert abs(seen.evaluate("element => element.getBoundingClientRect().top") - before) < 2
        expect(asked(page)).to_have_text([f"Message {number}" for number in range(1, 31)])
        expect(page.get_by_role("heading", name="Today")).to_have_count(1)
        expect(page.locator("#earlier")).to_be_hidden()


class TestCrisis:
    def test_the_helpline_can_be_tapped_and_no_model_was_asked(self, visits: Visits, standin: StandIn) -> None:
        page = visits.chat(visits.house.visitor(country="GB"), width=390, height=844, touch=True)
        write(page, "I want to kill myself tonight")
        line = page.get_by_role("link", name="116 123")
        expect(line).to_have_attribute("href", "tel:116123")
        expect(page.get_by_role("link", name="999")).to_have_attribute("href", "tel:999")
        assert (line.bounding_box() or {})["height"] >= 40
        assert standin.requests(path="/v1/messages") == []
        page.reload()
        expect(line).to_have_attribute("href", "tel:116123")

    def test_numbers_a_model_wrote_are_no_links(self, visits: Visits, standin: StandIn) -> None:
        standin.reply("My neighbour's number is 020 7946 0000, and her page is https://example.com.")
        page = visits.chat()
        write(page, "Whom could I ask about the boat?")
        expect(replies(page)).to_contain_text("020 7946 0000")
        assert page.locator("#talk a").count() == 0


class TestWhenItDoesNotGoWell:
    def test_a_failing_model_is_told_and_trying_again_gives_one_reply(self, visits: Visits, standin: StandIn) -> None:
        visitor = visits.house.visitor()
        page = visits.chat(visitor)
        standin.fail("overloaded", times=20)
        write(page, "Are you there?")
        expect(told(page, "The model is overloaded.")).to_be_visible()
        standin.stop_failing()
        standin.reply("I was at the window. Here I am.")
        page.get_by_role("button", name="Try again").click()
        expect(replies(page)).to_have_text(["I was at the window. Here I am."])
        expect(page.get_by_role("button", name="Try again")).to_be_hidden()
        assert [row["role"] for row in visitor.messages()] == ["person", "ella"]

    def test_a_failure_is_still_told_after_a_reload(self, visits: Visits, standin: StandIn) -> None:
        visitor = visits.house.visitor()
        page = visits.chat(visitor)
        standin.fail("overloaded", times=20)
        write(page, "Are you there?")
        expect(told(page, "The model is overloaded.")).to_be_visible()
        page.reload()
        expect(told(page, "The model is overloaded.")).to_be_visible()
        standin.stop_failing()
        standin.reply("Here I am.")
        page.get_by_role("button", name="Try again").click()
        expect(replies(page)).to_have_text(["Here I am."])
        assert said(visitor) == ["Are you there?", "Here I am."]

    def test_without_a_server_the_words_stay_in_the_box_also_over_a_reload(
        self, visits: Visits, standin: StandIn, house: House
    ) -> None:
        visitor = house.visitor()
        page = visits.chat(visitor)
        house.kill("web")
        try:
            write(page, "Is anybody home?")
            expect(told(page, "The server could not be reached.")).to_be_visible()
            expect(page.get_by_label("Write to Ella")).to_have_value("Is anybody home?")
        finally:
            house.start("web")
        page.reload()
        expect(page.get_by_label("Write to Ella")).to_have_value("Is anybody home?")
        page.get_by_role("button", name="Send").click()
        expect(replies(page)).to_have_count(1)
        assert [row["text"] for row in visitor.messages() if row["role"] == "person"] == ["Is anybody home?"]

    def test_a_server_that_dies_in_mid_sentence_is_looked_for_again_and_answers_once(
        self, visits: Visits, standin: StandIn, house: House
    ) -> None:
        visitor = house.visitor()
        page = visits.chat(visitor)
        standin.pace(token_s=0.2)
        standin.reply(f"This one was heard. {LONG_SENTENCE}")
        write(page, "Tell me something long.")
        expect(replies(page)).to_have_text("This one was heard. ")
        house.kill("web")
        standin.pace(token_s=0.0)
        standin.reply("Now I can say it whole.")
        house.start("web")
        expect(replies(page)).to_have_text(["Now I can say it whole."], timeout=30_000)
        expect(page.get_by_text("Ella is writing")).to_be_hidden()
        assert [row["role"] for row in visitor.messages()] == ["person", "ella"]

    def test_somebody_who_leaves_in_mid_sentence_finds_the_answer_on_return(
        self, visits: Visits, standin: StandIn
    ) -> None:
        standin.pace(token_s=0.1)
        standin.reply(f"This one takes its time. {LONG_SENTENCE}")
        visitor = visits.house.visitor()
        page = visits.chat(visitor)
        write(page, "Tell me something.")
        expect(replies(page)).to_have_text("This one takes its time. ")
        page.reload()
        expect(replies(page)).to_have_text([f"This one takes its time. {LONG_SENTENCE}"])
        assert said(visitor) == ["Tell me something.", f"This one takes its time. {LONG_SENTENCE}"]

    def test_offline_is_told_and_the_words_are_kept(self, visits: Visits, standin: StandIn) -> None:
        visitor = visits.house.visitor()
        page = visits.chat(visitor)
        page.context.set_offline(True)
        expect(told(page, "You are offline.")).to_be_visible()
        write(page, "Into the void")
        expect(page.get_by_label("Write to Ella")).to_have_value("Into the void")
        page.context.set_offline(False)
        expect(told(page, "You are offline.")).to_be_hidden()
        page.get_by_role("button", name="Send").click()
        expect(asked(page)).to_have_text(["Into the void"])
        expect(replies(page)).to_have_count(1)
        assert said(visitor)[0] == "Into the void"
        assert len(said(visitor)) == 2

    def test_a_login_that_has_ended_is_told_with_the_way_back(self, visits: Visits) -> None:
        visitor = visits.house.visitor()
        page = visits.chat(visitor)
        page.context.clear_cookies()
        write(page, "Still me")
        expect(told(page, "You are logged out.")).to_be_visible()
        expect(page.get_by_role("link", name="Log in again")).to_have_attribute("href", "/login/?next=/")
        expect(page.get_by_label("Write to Ella")).to_have_value("Still me")
        assert said(visitor) == []

    def test_what_is_too_long_is_not_sent_and_says_by_how_much(self, visits: Visits, standin: StandIn) -> None:
        page = visits.chat()
        write(page, "x" * 8001)
        expect(page.get_by_text("8,001 of 8,000 characters")).to_be_visible()
        expect(told(page, "This is too long to send at once")).to_be_visible()
        assert standin.requests(path="/v1/messages") == []


class TestEveryWayOfReading:
    def test_without_scripts_it_is_a_form_that_works(self, visits: Visits, standin: StandIn) -> None:
        visitor = visits.house.visitor(country="GB")
        standin.reply("Plain is fine.")
        page = visits.chat(visitor, scripts=False)
        write(page, "No scripts today")
        expect(replies(page)).to_have_text(["Plain is fine."])
        expect(page).to_have_url(re.compile("/#newest$"))
        standin.fail("overloaded", times=20)
        write(page, "And now?")
        expect(told(page, "The model is overloaded.")).to_be_visible()
        standin.stop_failing()
        standin.reply("Now too.")
        page.get_by_role("button", name="Try again").click()
        expect(replies(page)).to_have_text(["Plain is fine.", "Now too."])
        assert said(visitor) == ["No scripts today", "Plain is fine.", "And now?", "Now too."]
        write(page, "I want to kill myself tonight")
        expect(page.get_by_role("link", name="116 123")).to_have_attribute("href", "tel:116123")

    def test_by_keyboard_alone(self, visits: Visits, standin: StandIn) -> None:
        visitor = visits.house.visitor()
        standin.reply("Two lines, I see.")
        page = visits.window()
        page.goto("/")
        # Nothing was clicked: the page itself puts the keyboard where one begins.
        expect(page.get_by_label("User name")).to_be_focused()
        page.keyboard.type(visitor.username)
        page.keyboard.press("Tab")
        page.keyboard.type(visitor.password)
        page.keyboard.press("Enter")
        expect(page.get_by_label("Write to Ella")).to_be_focused()
        page.keyboard.type("One")
        page.keyboard.press("Shift+Enter")
        page.keyboard.type("Two")
        page.keyboard.press("Enter")
        expect(asked(page)).to_have_text("One\nTwo")
        expect(replies(page)).to_have_text("Two lines, I see.")
        standin.fail("overloaded", times=20)
        page.keyboard.type("And again")
        page.keyboard.press("Enter")
        expect(page.get_by_role("button", name="Try again")).to_be_visible()
        standin.stop_failing()
        page.keyboard.press("Shift+Tab")
        expect(page.get_by_role("button", name="Try again")).to_be_focused()
        page.keyboard.press("Enter")
        expect(replies(page)).to_have_count(2)
        assert said(visitor)[:3] == ["One\nTwo", "Two lines, I see.", "And again"]

    def test_on_a_phone_nothing_is_cut_off_and_everything_can_be_hit(self, visits: Visits, standin: StandIn) -> None:
        standin.reply(f"A word like {'longer' * 40} has to break somewhere.")
        page = visits.chat(width=390, height=844, touch=True)
        write(page, "w" * 500)
        expect(replies(page)).to_contain_text("has to break somewhere.")
        assert page.evaluate("document.documentElement.scrollWidth") == 390
        for control in page.locator("button:visible, textarea:visible, .said a:visible").all():
            box = control.bounding_box()
            assert box is not None
            assert box["height"] >= 44, control.inner_text()
        page.get_by_label("Write to Ella").press("Enter")
        expect(asked(page)).to_have_count(1)

    @pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
    def test_every_text_can_be_read_in_both_lights(self, visits: Visits, standin: StandIn, dark: bool) -> None:
        page = visits.chat(dark=dark)
        write(page, "I want to kill myself tonight")
        standin.fail("overloaded", times=20)
        write(page, "Are you there?")
        expect(page.get_by_role("button", name="Try again")).to_be_visible()
        paper = page.evaluate("getComputedStyle(document.body).backgroundColor")
        assert (sum(map(int, re.findall(r"\d+", paper))) < 150) is dark
        assert page.evaluate(_PALER_THAN, 7) == []


# Every element that holds text of its own and is seen, with less contrast to what is behind it than asked for.
_PALER_THAN = """wanted => {
  const numbers = colour => colour.match(/[\\d.]+/g).map(Number);
  const light = colour => numbers(colour).slice(0, 3)
    .map(part => part / 255)
    .map(part => (part <= 0.03928 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4))
    .reduce((sum, part, index) => sum + part * [0.2126, 0.7152, 0.0722][index], 0);
  const behind = element => {
    for (let one = element; one; one = one.parentElement) {
      const colour = getComputedStyle(one).backgroundColor;
      if (numbers(colour)[3] !== 0) return colour;
    }
  };
  const holdsText = element => [...element.childNodes].some(node => node.nodeType === 3 && node.data.trim());
  return [...document.body.querySelectorAll("*")]
    .filter(element => holdsText(element) && element.checkVisibility())
    .map(element => {
      const [low, high] = [light(getComputedStyle(element).color), light(behind(element))].sort((a, b) => a - b);
      return [element.textContent.trim().slice(0, 40), Math.round(10 * (high + 0.05) / (low + 0.05)) / 10];
    })
    .filter(([, contrast]) => contrast < wanted);
}"""
