"""Numbers and addresses in the table's texts, as somebody in distress finds them."""

from __future__ import annotations

import pytest

from boundary.helplines import HELPLINES
from boundary.replying import TABLE
from boundary.verdict import Category
from ella.conversation.links import Piece, pieces_with_links

CRISIS = [text for text in TABLE.texts if text.category is Category.EMOTIONAL_CRISIS]


def links(text: str) -> list[tuple[str, str]]:
    return [(piece.text, piece.href) for piece in pieces_with_links(text) if piece.href]


@pytest.mark.parametrize("line", HELPLINES, ids=lambda line: f"{line.country or 'world'}-{line.name}")
def test_every_number_and_address_a_country_is_told_is_a_link_that_leads_there(line) -> None:
    for text in CRISIS:
        told = TABLE.filled(text, line.country)
        found = dict(links(told))
        assert "".join(piece.text for piece in pieces_with_links(told)) == told
        for number in (line.phone, line.emergency):
            if number and number in told:
                assert found[number] == f"tel:{number.replace(' ', '')}"
        if not line.phone:
            assert found[line.url] == line.url


def test_a_number_for_messages_only_is_never_called() -> None:
    assert links("call Lifeline on 13 11 14, or send a text to 0477 13 11 14.") == [
        ("13 11 14", "tel:131114"),
        ("0477 13 11 14", "sms:0477131114"),
    ]


@pytest.mark.parametrize(
    "text",
    ["open 24/7", "at 14:02", "in 10 minutes", "number 5", "a1b2c3", "http://example.com", "javascript:alert(1)"],
)
def test_what_is_no_number_and_no_safe_address_stays_text(text: str) -> None:
    assert pieces_with_links(text) == [Piece(text)]


@pytest.mark.parametrize(
    ("text", "shown", "href"),
    [
        ("Call 988. 24 hours a day.", "988", "tel:988"),
        ("(112, free)", "112", "tel:112"),
        ("+351 808 200 204!", "+351 808 200 204", "tel:+351808200204"),
        ("see https://findahelpline.com.", "https://findahelpline.com", "https://findahelpline.com"),
        ("(https://a.example/b?c=1)", "https://a.example/b?c=1", "https://a.example/b?c=1"),
    ],
)
def test_what_stands_around_a_link_is_not_part_of_it(text: str, shown: str, href: str) -> None:
    assert links(text) == [(shown, href)]
