"""Where things are after an exchange: the last state wins, and figures of speech move nothing."""

from __future__ import annotations

import pytest

from tests.offline.reading.asking import scene


@pytest.mark.parametrize(
    ("told", "state"),
    [
        ("I took the phone, locked it, tossed it onto the couch.", {"phone": "on the couch"}),
        ("I put my phone on the table. Then I picked it up and dropped it into my bag.", {"phone": "in Ana's bag"}),
        ("I left my keys on the kitchen table and went out.", {"keys": "on the kitchen table"}),
        ("My sister put the spare key under the doormat.", {"spare key": "under the doormat"}),
        ("I hung your scarf on the hook.", {"Ella's scarf": "on the hook"}),
        ("I picked up my guitar.", {"guitar": "in Ana's hand"}),
        ("I'm in the kitchen now.", {"Ana": "in the kitchen"}),
        ("I'm home, finally!", {"Ana": "at home"}),
        ("My phone is still on the couch.", {"phone": "on the couch"}),
    ],
)
def test_what_was_put_down_stays_where_it_was_put(told: str, state: dict[str, str]) -> None:
    assert scene(told) == state


@pytest.mark.parametrize(
    "told",
    [
        "I put a lot of effort into the house.",
        "I left my job at the bank.",
        "I put my heart into this table of numbers.",
        "I'll put the phone on the table.",
        "Put the phone on the table!",
        "Did I put the phone on the table?",
        "I always put my keys on the hook.",
        "Last week I left my umbrella on the train.",
        "I didn't leave it on the couch.",
        "I almost dropped my phone into the sink.",
        "I took a picture of the sea.",
        "I'm in the mood for soup and on the fence about it.",
        "I'm in Porto next week.",
    ],
)
def test_what_nobody_moved_is_not_moved(told: str) -> None:
    assert scene(told) == {}


def test_it_means_the_only_thing_there_is() -> None:
    assert scene("I put it in my bag.", scene=[{"thing": "phone", "state": "on the couch"}]) == {
        "phone": "in Ana's bag"
    }


def test_it_is_left_alone_when_it_could_be_two_things() -> None:
    standing = [{"thing": "phone", "state": "on the couch"}, {"thing": "keys", "state": "on the hook"}]
    assert scene("I put it in my bag.", scene=standing) == {}


def test_it_is_what_people_carry_rather_than_what_stands_about() -> None:
    standing = [{"thing": "phone", "state": "on the couch"}, {"thing": "kettle", "state": "on the stove"}]
    assert scene("I put it in my bag.", scene=standing) == {"phone": "in Ana's bag"}


def test_it_is_not_the_phone_that_goes_into_the_oven() -> None:
    assert scene("I put it in the oven.", scene=[{"thing": "phone", "state": "on the couch"}]) == {}


def test_it_is_not_the_phone_when_something_else_was_named() -> None:
    standing = [{"thing": "phone", "state": "on the couch"}]
    assert scene("I washed the casserole and put it in the oven.", scene=standing) == {}


def test_a_state_that_stands_already_is_no_change() -> None:
    assert scene("My phone is on the couch.", scene=[{"thing": "phone", "state": "on the couch"}]) == {}


def test_what_was_thrown_away_leaves_the_scene() -> None:
    assert scene("I threw away the letter.", scene=[{"thing": "letter", "state": "on the desk"}]) == {"letter": ""}


def test_ellas_own_things_and_her_own_place_are_hers() -> None:
    ella = "I put the kettle down on the stove. I left my cup on the windowsill. I'm on the quay now."
    assert scene("Hello", ella) == {"kettle": "on the stove", "Ella's cup": "on the windowsill", "Ella": "on the quay"}


def test_ellas_message_comes_after_the_persons() -> None:
    assert scene("I put the kettle on the table.", "I put the kettle back on the stove.") == {"kettle": "on the stove"}
