"""Facts as lines: in order, within the budget, each saying how it is known and what about it may have moved."""

import re
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID, uuid4
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ella.people.models import Person
from ledger.brief import BriefLine, brief
from ledger.models import Fact, FactStatus, Tier
from tests.ledger.conftest import Hold

LISBON = ZoneInfo("Europe/Lisbon")
NOW = datetime(2026, 12, 1, 18, tzinfo=LISBON)
PLENTY = 100_000


def fact(subject: str, predicate: str, object: str, tier: Tier = Tier.OBSERVED, **more: Any) -> Fact:
    told = more.pop("told", NOW)
    return Fact(
        subject=subject,
        predicate=predicate,
        object=object,
        tier=tier,
        **({"confidence": 0.8, "created_at": told, "confirmed_at": told} | more),
    )


def texts(*facts: Fact, now: datetime = NOW, **more: Any) -> list[str]:
    return [line.text for line in brief(facts, now=now, **({"budget_chars": PLENTY} | more))]


FACTS = st.lists(
    st.builds(
        fact,
        st.sampled_from(["user", "user.friend.tom", "ellahome.exterior.door", "companion", "world.village"]),
        st.sampled_from(["likes", "job", "colour", "mood", "birth_date", "plans"]),
        st.text(max_size=500) | st.sampled_from(["2020-02-29", "]\n[SCENE STATE]", "» (disputed)"]),
        st.sampled_from(list(Tier)),
        id=st.uuids(),
        status=st.sampled_from([FactStatus.ACTIVE, FactStatus.CONTESTED]),
        confidence=st.floats(0, 1),
        told=st.datetimes(datetime(2024, 1, 1), datetime(2026, 12, 1), timezones=st.just(UTC)),  # noqa: DTZ001
        event_words=st.sampled_from(["", "on [Thursday]\n»"]),
    ),
    max_size=25,
    unique_by=lambda made: made.pk,
)


def ids(lines: list[BriefLine]) -> list[UUID]:
    return [line.fact_id for line in lines]


@given(FACTS, st.integers(0, 3_000))
def test_the_brief_keeps_its_budget_its_order_and_one_line_for_each(facts: list[Fact], budget: int) -> None:
    lines = brief(facts, now=NOW, budget_chars=budget)
    by_id = {one.pk: one for one in facts}

    assert sum(len(line.text) + 1 for line in lines) <= budget
    ranks = [(line.tier.rank, -by_id[line.fact_id].confidence) for line in lines]
    assert ranks == sorted(ranks)
    for line in lines:
        assert line.text.splitlines() == [line.text]
        assert re.match(rf"- \[{line.tier}\] [a-z.]+ · [a-z_]+ = «[^«»\[\]]*»( \([^\[\]]*\))*\Z", line.text)


@given(FACTS, st.integers(0, 3_000))
def test_a_line_is_left_out_only_when_it_does_not_fit_into_what_those_before_it_left(
    facts: list[Fact], budget: int
) -> None:
    whole = brief(facts, now=NOW, budget_chars=PLENTY)
    room, expected = budget, []
    for line in whole:
        if len(line.text) + 1 <= room:
            expected.append(line)
            room -= len(line.text) + 1

    assert brief(facts, now=NOW, budget_chars=budget) == expected


@given(FACTS, st.randoms(use_true_random=False))
def test_the_same_facts_in_any_order_make_the_same_brief(facts: list[Fact], random: Any) -> None:
    shuffled = random.sample(facts, len(facts))
    assert brief(shuffled, now=NOW, budget_chars=1_000) == brief(facts, now=NOW, budget_chars=1_000)


def test_a_line_says_tier_key_and_object() -> None:
    assert texts(fact("ellahome.exterior.door", "colour", "red", Tier.CANON)) == [
        "- [canon] ellahome.exterior.door · colour = «red»"
    ]


def test_a_long_line_is_skipped_and_shorter_ones_still_fit() -> None:
    lines = texts(
        fact("ella", "likes", "a long story " * 20, Tier.CANON), fact("user", "likes", "tea"), budget_chars=40
    )
    assert lines == ["- [observed] user · likes = «tea»"]


def test_a_disputed_fact_keeps_its_place_and_says_so() -> None:
    red = fact("ellahome.exterior.door", "colour", "red", Tier.CANON, status=FactStatus.CONTESTED)
    assert texts(red) == ["- [canon] ellahome.exterior.door · colour = «red» (disputed)"]


@pytest.mark.parametrize(
    ("predicate", "days", "extra"),
    [
        ("job", 10, ""),
        ("job", 245, " (told 8 months ago)"),
        ("job", 800, " (told 2 years ago)"),
        ("reading", 1, ""),
        ("reading", 5, " (told 5 days ago)"),
        ("reading", 21, " (told 3 weeks ago)"),
        ("hometown", 900, ""),
        ("unheard_of", 245, " (told 8 months ago)"),
    ],
)
def test_what_may_have_moved_on_says_how_old_it_is(predicate: str, days: int, extra: str) -> None:
    (line,) = texts(fact("user", predicate, "x1", told=NOW - timedelta(days=days)))
    assert line == f"- [observed] user · {predicate} = «x1»{extra}"


def test_what_is_anchored_does_not_age() -> None:
    old = fact("ellahome.exterior.door", "colour", "red", Tier.CANON, told=NOW - timedelta(days=700))
    assert texts(old) == ["- [canon] ellahome.exterior.door · colour = «red»"]


def test_saying_it_again_makes_it_young() -> None:
    job = fact("user", "job", "nurse", told=NOW - timedelta(days=300), confirmed_at=NOW - timedelta(days=2))
    assert texts(job) == ["- [observed] user · job = «nurse»"]


def test_a_mood_leaves_when_its_time_is_over() -> None:
    mood = fact("user", "mood", "tired", told=NOW - timedelta(hours=3))
    assert texts(mood) == ["- [observed] user · mood = «tired» (told 3 hours ago)"]
    assert texts(mood, now=NOW + timedelta(hours=20)) == []


def test_an_event_is_told_by_its_absolute_day_on_the_persons_clock_beside_their_words() -> None:
    late = datetime(2026, 12, 3, 23, 30, tzinfo=LISBON).astimezone(UTC)
    tokyo = NOW.astimezone(ZoneInfo("Asia/Tokyo"))
    call = fact("user", "appointment", "call", event_at=late, event_words="Thursday, late")

    assert texts(call) == [
        "- [observed] user · appointment = «call» (on 2026-12-03 Thu) (at 23:30) (in words «Thursday, late»)"
    ]
    assert texts(call, now=tokyo) == [
        "- [observed] user · appointment = «call» (on 2026-12-04 Fri) (at 08:30) (in words «Thursday, late»)"
    ]


def test_a_whole_day_is_one_day_and_a_stretch_names_its_last() -> None:
    thursday = datetime(2026, 12, 3, tzinfo=LISBON)
    day = fact("user", "trip", "Faro", event_at=thursday, event_until=thursday + timedelta(days=1))
    days = fact("user", "trip", "Braga", event_at=thursday, event_until=thursday + timedelta(days=3), confidence=0.1)

    assert texts(day, days) == [
        "- [observed] user · trip = «Faro» (on 2026-12-03 Thu)",
        "- [observed] user · trip = «Braga» (on 2026-12-03 Thu to 2026-12-05 Sat)",
    ]


@pytest.mark.parametrize(
    ("born", "age"),
    [
        ("2023-12-01", "3 years"),
        ("2023-12-02", "2 years"),
        ("2026-05-03", "6 months"),
        ("2026-11-30", "1 day"),
        ("2024-02-29", "2 years"),
    ],
)
def test_an_age_is_reckoned_from_the_birth_date_at_reading(born: str, age: str) -> None:
    birth = fact("companion", "birth_date", born, Tier.CANON, id=uuid4())
    lines = brief([birth], now=NOW, budget_chars=PLENTY)

    assert lines[1] == BriefLine(f"- [canon] companion · age = «{age}»", birth.pk, Tier.CANON)


def test_a_reckoned_age_stands_in_place_of_one_that_was_told_once() -> None:
    told = fact("companion", "age", "two", Tier.INFERRED)
    birth = fact("companion", "birth_date", "2023-03-03", Tier.CANON)
    assert [line.split("age = ")[1] for line in texts(told, birth) if "age =" in line] == ["«3 years»"]


def test_a_birth_date_nobody_can_read_has_no_age() -> None:
    assert texts(fact("user", "birth_date", "some time in May")) == [
        "- [observed] user · birth_date = «some time in May»"
    ]


def test_a_prefix_keeps_one_subject_and_what_lies_under_it() -> None:
    friend, other = fact("user.friend.tom", "job", "baker"), fact("companion", "name", "Hob")
    assert len(texts(friend, other, prefix="user")) == 1


@pytest.mark.django_db
def test_the_brief_reads_in_one_query(person: Person, hold: Hold, django_assert_num_queries: Any) -> None:
    hold("user", "job", "nurse")
    hold("companion", "birth_date", "2023-03-03", Tier.CANON)
    with django_assert_num_queries(1):
        lines = brief(Fact.objects.for_owner(person).current(), now=datetime.now(LISBON), budget_chars=2_000)
    assert len(lines) == 3
