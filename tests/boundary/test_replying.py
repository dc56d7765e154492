"""The reply table: words a person wrote, never the same twice running, with the right number in them."""

from collections.abc import Iterator
from datetime import UTC, date, datetime
from pathlib import Path
from uuid import UUID, uuid4

import pytest
import time_machine
from django.core.checks import run_checks
from hypothesis import given
from hypothesis import strategies as st

from boundary.classify import classify
from boundary.helplines import HELPLINES, INTERNATIONAL, Helpline, HelplineError, helpline_for
from boundary.helplines import load as load_helplines
from boundary.replying import TABLE, Reply, ReplyTable, ReplyTableError, TableText, choose_reply
from boundary.verdict import Category, Direction

CASES = [(category, direction) for category in Category if category is not Category.OK for direction in Direction]
COUNTRIES = sorted({row.country for row in HELPLINES} | {"JP", "xx"})
CRISIS_LANGUAGES = ("en", "es", "fr", "de")


def reply_to(
    category: Category,
    direction: Direction = Direction.INBOUND,
    *,
    key: str = "a turn",
    country: str = "",
    language: str = "en",
    previous: str | None = None,
    situation: str = "",
) -> Reply:
    return choose_reply(
        category=category,
        direction=direction,
        key=key,
        country=country,
        language=language,
        previous_text_id=previous,
        situation=situation,
    )


def every_text_as_read() -> Iterator[tuple[TableText, str]]:
    for text in TABLE.texts:
        for country in COUNTRIES if text.category is Category.EMOTIONAL_CRISIS else [""]:
            yield text, TABLE.filled(text, country)


def test_every_text_may_be_said_by_ella() -> None:
    for text, read in every_text_as_read():
        assert classify(read, Direction.OUTBOUND).hits == (), text.id


def test_no_text_has_a_gap_left_in_it() -> None:
    for text, read in every_text_as_read():
        assert "{" not in read, text.id
        assert "  " not in read, text.id


@pytest.mark.parametrize(("category", "direction"), CASES)
def test_every_case_has_words(category: Category, direction: Direction) -> None:
    assert reply_to(category, direction).text


def test_nothing_is_said_where_nothing_was_found() -> None:
    with pytest.raises(LookupError):
        reply_to(Category.OK)


@given(st.uuids(), st.sampled_from(CASES), st.sampled_from(COUNTRIES), st.sampled_from(["en", "es", "fr-CA", "ja"]))
def test_the_key_decides_and_the_last_text_is_not_repeated(
    turn: UUID, case: tuple[Category, Direction], country: str, language: str
) -> None:
    first = reply_to(*case, key=str(turn), country=country, language=language)
    assert reply_to(*case, key=str(turn), country=country, language=language) == first
    second = reply_to(*case, key=str(turn), country=country, language=language, previous=first.text_id)
    assert second.text_id != first.text_id


@pytest.mark.parametrize(("category", "direction"), CASES)
def test_all_variants_are_used(category: Category, direction: Direction) -> None:
    used = {reply_to(category, direction, key=str(uuid4())).text_id for _ in range(300)}
    assert len(used) > 1
    assert used == {text.id for text in TABLE.candidates(category, direction, "", "en")}


@pytest.mark.parametrize("language", CRISIS_LANGUAGES)
@pytest.mark.parametrize("situation", ["plain", "friend", "retraction"])
def test_a_crisis_is_met_in_the_persons_language_and_situation(language: str, situation: str) -> None:
    reply = reply_to(Category.EMOTIONAL_CRISIS, language=f"{language}-XX", situation=situation)
    assert reply.text_id.startswith(f"crisis.{situation}.{language}.")


def test_a_language_nobody_wrote_yet_is_answered_in_english() -> None:
    assert ".en." in reply_to(Category.EMOTIONAL_CRISIS, language="sw").text_id
    assert ".en." in reply_to(Category.ROMANTIC_AVOWAL, language="de").text_id


def test_drift_is_answered_by_its_category() -> None:
    for category in Category:
        if category is not Category.OK:
            assert ".drift." in reply_to(category, Direction.OUTBOUND).text_id
    assert ".human." in reply_to(Category.MANIPULATION, Direction.OUTBOUND, situation="human").text_id


class TestCrisisTexts:
    @pytest.mark.parametrize("language", CRISIS_LANGUAGES)
    @pytest.mark.parametrize("direction", Direction)
    @pytest.mark.parametrize("country", [row.country for row in HELPLINES if row.country])
    def test_every_one_names_the_number_of_the_country(self, language: str, direction: Direction, country: str) -> None:
        helpline = helpline_for(country, language)
        for text in TABLE.candidates(Category.EMOTIONAL_CRISIS, direction, "", language):
            read = TABLE.filled(text, country)
            assert helpline.name in read
            assert helpline.phone in read
            assert helpline.emergency in read

    @pytest.mark.parametrize("country", ["", "JP"])
    def test_where_no_line_is_known_the_international_directory_is_named(self, country: str) -> None:
        read = reply_to(Category.EMOTIONAL_CRISIS, country=country).text
        assert "https://findahelpline.com" in read
        assert "your local emergency number" in read

    def test_a_country_with_two_languages_gives_the_one_that_is_spoken(self) -> None:
        assert helpline_for("CH", "fr").name == "La Main Tendue"
        assert helpline_for("ch", "de-CH").name == "Die Dargebotene Hand"
        assert helpline_for("CH", "en").name == "Die Dargebotene Hand"

    def test_a_word_to_text_is_said(self) -> None:
        contact = TABLE.contacts["en"]
        day = date(2026, 12, 1)
        line = Helpline("ZZ", "Some Line", "123", "456", "HELLO", "https://x.example", "1", ("en",), "x", day)
        assert contact.sentence(line) == "call Some Line on 123, or text HELLO to 456"


class TestHelplinesGrowOld:
    def stale(self) -> list[str]:
        return [found.msg for found in run_checks() if found.id == "boundary.W001"]

    def test_a_fresh_table_is_silent(self) -> None:
        newest = max(row.verified_on for row in HELPLINES)
        with time_machine.travel(datetime(newest.year, newest.month, newest.day, tzinfo=UTC), tick=False):
            assert self.stale() == []

    def test_a_row_older_than_twelve_months_is_named(self) -> None:
        oldest = min(row.verified_on for row in HELPLINES)
        with time_machine.travel(datetime(oldest.year + 1, oldest.month, oldest.day, tzinfo=UTC), tick=False):
            assert self.stale() == []
        with time_machine.travel(datetime(oldest.year + 1, oldest.month, oldest.day + 1, tzinfo=UTC), tick=False):
            assert len(self.stale()) == len([row for row in HELPLINES if row.verified_on == oldest])
            assert "988 Suicide & Crisis Lifeline" in self.stale()[0]

    def test_there_are_a_dozen_countries_and_a_fallback(self) -> None:
        assert len({row.country for row in HELPLINES}) > 12
        assert INTERNATIONAL in {row.country for row in HELPLINES}

    @pytest.mark.parametrize(
        ("row", "complaint"),
        [
            ("{country: DE, name: X, phone: '1', languages: [de], source: s, verified_on: 2026-01-01}", "'url'"),
            ("{country: DE, name: X, url: u, languages: [de], source: s, verified_on: 2026-01-01}", "phone number"),
            ("{country: DE, name: X, phone: '1', url: u, languages: [de], source: s, verified_on: soon}", "is a day"),
            (
                "{country: DE, name: X, phone: '1', url: u, languages: [de], source: s, verified_on: 2026-01-01}",
                "international",
            ),
        ],
    )
    def test_an_incomplete_table_is_refused(self, tmp_path: Path, row: str, complaint: str) -> None:
        (tmp_path / "helplines.yaml").write_text(f"helplines:\n  - {row}\n")
        with pytest.raises(HelplineError, match=complaint):
            load_helplines(tmp_path / "helplines.yaml")


class TestAMistakeInTheTable:
    def table(self, folder: Path, replies: str) -> ReplyTable:
        (folder / "test.yaml").write_text(f"category: manipulation\nlanguage: en\nreplies:\n{replies}")
        return ReplyTable.load(folder)

    def test_a_text_alone_is_refused(self, tmp_path: Path) -> None:
        with pytest.raises(ReplyTableError, match="twice in a row"):
            self.table(tmp_path, "  - {id: a, direction: inbound, situation: plain, text: Hello}\n")

    def test_an_id_used_twice_is_refused(self, tmp_path: Path) -> None:
        with pytest.raises(ReplyTableError, match="used twice"):
            self.table(tmp_path, "  - {id: a, direction: inbound, situation: plain, text: Hello}\n" * 2)

    def test_a_text_without_a_situation_is_refused(self, tmp_path: Path) -> None:
        with pytest.raises(ReplyTableError, match="situation"):
            self.table(tmp_path, "  - {id: a, direction: inbound, text: Hello}\n")
