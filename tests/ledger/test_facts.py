"""What a proposal may do to what stands: confirm it, replace it, dispute it, or stand beside it."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from functools import partial
from uuid import uuid4

import pytest
import time_machine
from django.db import IntegrityError, transaction

from ella.people.models import Person
from ledger.models import Fact, FactEvent, FactStatus, Tier
from ledger.refusals import InvalidFact, Reason
from ledger.services import assert_fact, contest, retire, supersede
from tests.factories import PersonFactory
from tests.ledger.conftest import Hold

Kind = FactEvent.Kind
pytestmark = pytest.mark.django_db

DOOR = ("ellahome.exterior.door", "colour")


def kinds(fact: Fact) -> list[str]:
    return list(FactEvent.objects.filter(fact=fact).values_list("kind", flat=True))


def status(fact: Fact) -> str:
    return Fact.objects.get(pk=fact.pk).status


def test_a_new_fact_is_kept_with_its_words_and_its_first_event(hold: Hold, person: Person) -> None:
    message_id = uuid4()
    outcome = hold("User", "Works as", "night nurse", evidence="I'm a night nurse", source_message_id=message_id)

    fact = Fact.objects.for_owner(person).get()
    assert outcome.kind == "new"
    assert (fact.subject, fact.predicate, fact.object) == ("user", "job", "night nurse")
    assert (fact.tier, fact.status, fact.evidence) == (Tier.OBSERVED, FactStatus.ACTIVE, "I'm a night nurse")
    event = fact.events.get()
    assert (event.kind, event.actor, event.old_status, event.new_status) == (Kind.ASSERTED, "test", "", "active")
    assert event.caused_by_message_id == message_id


@pytest.mark.parametrize("again", ["Night nurse", "a night  nurse.", "NIGHT NURSE"])
def test_the_same_object_again_is_corroboration_and_no_second_row(hold: Hold, again: str) -> None:
    first = hold("user", "job", "night nurse")
    second = hold("user", "job", again, confidence=0.95)

    assert (second.kind, second.fact.pk) == ("corroborated", first.fact.pk)
    assert Fact.objects.count() == 1
    event = FactEvent.objects.get(kind=Kind.CORROBORATED)
    assert event.detail["confidence"] == 0.95
    assert event.old_status == event.new_status == FactStatus.ACTIVE


def test_of_their_own_life_the_persons_newer_word_replaces_the_older(hold: Hold) -> None:
    old = hold("user", "lives_in", "Porto").fact
    new = hold("user", "lives in", "Lisbon")

    assert new.kind == "superseding"
    assert new.fact.supersedes == old
    assert (status(old), status(new.fact)) == (FactStatus.SUPERSEDED, FactStatus.ACTIVE)
    ended = FactEvent.objects.get(fact=old, kind=Kind.SUPERSEDED)
    assert ended.caused_by_fact == new.fact
    assert Fact.objects.get(pk=old.pk).true_until == new.fact.created_at


@pytest.mark.parametrize("weaker", [Tier.RUMORED, Tier.USER_CLAIM, Tier.INFERRED])
def test_of_their_own_life_the_persons_word_replaces_every_weaker_one(hold: Hold, weaker: Tier) -> None:
    old = hold("user", "lives_in", "Porto", weaker).fact
    new = hold("user", "lives_in", "Lisbon")

    assert new.kind == "superseding"
    assert (status(old), status(new.fact)) == (FactStatus.SUPERSEDED, FactStatus.ACTIVE)


@pytest.mark.parametrize("weaker", [Tier.RUMORED, Tier.INFERRED])
def test_a_conclusion_disputes_what_a_person_said_of_themselves_and_never_replaces_it(hold: Hold, weaker: Tier) -> None:
    said = hold("user", "lives_in", "Lisbon").fact
    concluded = hold("user", "lives_in", "Porto", weaker)

    assert concluded.kind == "contesting"
    assert (status(said), status(concluded.fact)) == (FactStatus.CONTESTED, FactStatus.CONTESTED)
    assert FactEvent.objects.get(fact=said, kind=Kind.CONTESTED).caused_by_fact == concluded.fact


def test_the_persons_word_again_settles_a_dispute_with_a_conclusion(hold: Hold) -> None:
    said = hold("user", "lives_in", "Lisbon").fact
    concluded = hold("user", "lives_in", "Porto", Tier.INFERRED).fact
    again = hold("user", "lives_in", "lisbon")

    assert (again.kind, again.fact) == ("corroborated", said)
    assert (status(said), status(concluded)) == (FactStatus.ACTIVE, FactStatus.SUPERSEDED)
    assert kinds(said) == [Kind.ASSERTED, Kind.CONTESTED, Kind.CORROBORATED, Kind.RESOLVED]


def test_what_was_concluded_and_is_then_told_is_held_as_told(hold: Hold) -> None:
    concluded = hold("user", "likes", "gulls", Tier.INFERRED).fact
    told = hold("user", "likes", "gulls")

    assert told.kind == "superseding"
    assert (status(concluded), told.fact.tier) == (FactStatus.SUPERSEDED, Tier.OBSERVED)
    assert Fact.objects.standing().count() == 1


def test_what_was_told_and_is_then_concluded_stays_as_told(hold: Hold) -> None:
    told = hold("user", "likes", "gulls").fact
    assert hold("user", "likes", "gulls", Tier.INFERRED).kind == "corroborated"
    assert Fact.objects.get() == told


def test_facts_of_the_world_that_disagree_are_both_disputed(hold: Hold, person: Person) -> None:
    red = hold(*DOOR, "red", Tier.CANON).fact
    blue = hold(*DOOR, "blue", Tier.OBSERVED)
    green = hold("EllaHome.exterior.door", "color", "green", Tier.INFERRED)

    assert (blue.kind, green.kind) == ("contesting", "contesting")
    assert {status(fact) for fact in (red, blue.fact, green.fact)} == {FactStatus.CONTESTED}
    assert red in Fact.objects.for_owner(person).current()


def test_a_claim_about_her_world_stands_beside_it(hold: Hold) -> None:
    red = hold(*DOOR, "red", Tier.CANON).fact
    blue = hold(*DOOR, "blue", Tier.USER_CLAIM)
    green = hold(*DOOR, "green", Tier.USER_CLAIM)

    assert (blue.kind, green.kind) == ("beside", "superseding")
    assert [status(fact) for fact in (red, blue.fact, green.fact)] == ["active", "superseded", "active"]
    assert not FactEvent.objects.filter(kind=Kind.CONTESTED).exists()


def test_a_claim_that_agrees_with_her_world_only_confirms_it(hold: Hold) -> None:
    red = hold(*DOOR, "red", Tier.INFERRED).fact
    assert hold(*DOOR, "red", Tier.USER_CLAIM).fact == red


def test_what_many_may_hold_stands_side_by_side(hold: Hold) -> None:
    tea, coffee = hold("user", "likes", "tea"), hold("user", "loves", "coffee")
    knots, stamps = hold("user", "collects", "knots"), hold("user", "collects", "stamps")

    assert {outcome.kind for outcome in (tea, coffee, knots, stamps)} == {"new"}
    assert Fact.objects.filter(status=FactStatus.ACTIVE).count() == 4


def test_facts_of_other_subjects_people_and_scopes_never_touch(hold: Hold) -> None:
    mine = hold("user", "job", "nurse").fact
    hold("user.friend.tom", "job", "baker")
    hold("user", "job", "spy", scope="live:1")
    assert_fact(
        actor="test",
        owner=PersonFactory.create(),
        tier=Tier.OBSERVED,
        subject="user",
        predicate="job",
        object="pilot",
        confidence=1,
        evidence="I fly",
    )

    assert status(mine) == FactStatus.ACTIVE
    assert Fact.objects.filter(status=FactStatus.ACTIVE).count() == 4


def test_an_appointment_that_is_moved_replaces_the_earlier_time(hold: Hold) -> None:
    now = datetime(2026, 12, 1, 9, tzinfo=UTC)
    with time_machine.travel(now, tick=False):
        first = hold("user", "appointment", "the dentist", event_at=now + timedelta(days=2), event_words="on Thursday")
        again = hold("user", "appointment", "dentist")
        moved = hold("user", "appointment", "dentist", event_at=now + timedelta(days=3), event_words="Friday instead")

    assert [outcome.kind for outcome in (first, again, moved)] == ["new", "corroborated", "superseding"]
    assert Fact.objects.standing().get().event_words == "Friday instead"


def test_the_same_thing_done_twice_is_two_facts_and_told_twice_is_one(hold: Hold) -> None:
    now = datetime(2026, 12, 1, 9, tzinfo=UTC)
    with time_machine.travel(now, tick=False):
        spring = hold("user", "did", "visited Porto", event_at=now - timedelta(days=200))
        autumn = hold("user", "did", "visited Porto", event_at=now - timedelta(days=30))
        retold = hold("user", "did", "visited Porto", event_at=now - timedelta(days=30, hours=5))

    assert (spring.kind, autumn.kind, retold.kind) == ("new", "new", "corroborated")
    assert Fact.objects.standing().count() == 2


def test_an_anchor_is_made_once_and_only_explicitly_replaced(hold: Hold) -> None:
    red = hold(*DOOR, "red", Tier.CANON)
    assert hold(*DOOR, "Red", Tier.CANON).kind == "corroborated"
    with pytest.raises(InvalidFact) as refusal:
        hold(*DOOR, "blue", Tier.CANON)
    assert refusal.value.reason == Reason.ANCHOR_STANDS

    blue = supersede(actor="mod", fact=red.fact, object="blue", reason="painted last week")
    assert (blue.kind, blue.fact.tier, blue.fact.supersedes) == ("superseding", Tier.CANON, red.fact)
    assert kinds(red.fact) == [Kind.ANCHORED, Kind.CORROBORATED, Kind.SUPERSEDED]
    assert FactEvent.objects.get(fact=red.fact, kind=Kind.SUPERSEDED).reason == "painted last week"


def test_an_anchor_takes_over_a_lower_fact_that_says_the_same(hold: Hold) -> None:
    inferred = hold("world.village.bakery", "name", "Lark & Loaf", Tier.INFERRED).fact
    anchor = hold("world.village.bakery", "name", "Lark & Loaf", Tier.CANON)

    assert anchor.kind == "superseding"
    assert (status(inferred), status(anchor.fact)) == (FactStatus.SUPERSEDED, FactStatus.ACTIVE)


def test_a_key_has_at_most_one_active_canon_whoever_writes(hold: Hold) -> None:
    red = hold(*DOOR, "red", Tier.CANON).fact
    another = Fact.objects.get(pk=red.pk)
    another.pk, another._state.adding, another.object = uuid4(), True, "blue"

    with pytest.raises(IntegrityError), transaction.atomic():
        another.save()


def test_content_is_written_once(hold: Hold) -> None:
    fact = hold("user", "job", "nurse").fact
    fact.object = "spy"
    with pytest.raises(TypeError):
        fact.save()
    with pytest.raises(TypeError):
        fact.events.get().save()
    assert Fact.objects.get().object == "nurse"


def test_replacing_explicitly_settles_what_the_old_fact_disputed(hold: Hold) -> None:
    red = hold(*DOOR, "red", Tier.CANON).fact
    blue = hold(*DOOR, "blue").fact
    outcome = supersede(actor="mod", fact=red, object="blue", reason="it was painted")

    assert outcome.fact.tier == Tier.CANON
    assert [status(fact) for fact in (red, blue, outcome.fact)] == ["superseded", "superseded", "active"]


def test_a_lower_tier_never_replaces_a_higher_one_even_explicitly(hold: Hold) -> None:
    red = hold(*DOOR, "red", Tier.CANON).fact
    with pytest.raises(InvalidFact) as refusal:
        supersede(actor="mod", fact=red, object="blue", tier=Tier.INFERRED, reason="")
    assert refusal.value.reason == Reason.LOWER_TIER
    assert status(red) == FactStatus.ACTIVE


def test_retiring_one_side_of_a_dispute_leaves_the_other_undisputed(hold: Hold) -> None:
    red = hold(*DOOR, "red", Tier.CANON).fact
    blue = hold(*DOOR, "blue").fact
    retire(actor="mod", fact=blue, reason="a misreading")

    assert (status(red), status(blue)) == (FactStatus.ACTIVE, FactStatus.RETIRED)
    assert kinds(red) == [Kind.ANCHORED, Kind.CONTESTED, Kind.RESOLVED]


@pytest.mark.parametrize("end", [retire, partial(supersede, object="baker")], ids=["retire", "supersede"])
def test_what_has_ended_cannot_end_again(hold: Hold, end: Callable[..., object]) -> None:
    fact = hold("user", "job", "nurse").fact
    retire(actor="test", fact=fact, reason="asked to forget it")
    before = FactEvent.objects.count()

    with pytest.raises(InvalidFact) as refusal:
        end(actor="test", fact=fact, reason="again")
    assert refusal.value.reason == Reason.NOT_STANDING
    assert (FactEvent.objects.count(), Fact.objects.count()) == (before, 1)


def test_two_of_many_values_can_be_disputed_by_hand_until_one_goes(hold: Hold) -> None:
    cats, allergy = hold("user", "likes", "cats").fact, hold("user", "likes", "no animals at all").fact
    contest(actor="scan", first=cats, second=allergy, reason="cannot both hold")
    hold("user", "likes", "tea")
    assert [status(cats), status(allergy)] == ["contested", "contested"]

    retire(actor="mod", fact=allergy, reason="a joke")
    assert status(cats) == FactStatus.ACTIVE


def test_only_facts_of_one_key_with_different_objects_can_be_disputed(hold: Hold) -> None:
    tea, claim = hold("user", "likes", "tea").fact, hold("user", "likes", "coffee", Tier.USER_CLAIM).fact
    job = hold("user", "job", "nurse").fact

    for second, reason in ((job, Reason.OTHER_KEY), (tea, Reason.SAME_OBJECT), (claim, Reason.CLAIM_STANDS_BESIDE)):
        with pytest.raises(InvalidFact) as refusal:
            contest(actor="scan", first=tea, second=second, reason="")
        assert refusal.value.reason == reason
    assert not FactEvent.objects.filter(kind=Kind.CONTESTED).exists()


@pytest.mark.parametrize(
    ("change", "field", "reason"),
    [
        ({"object": " \u200b\n "}, "object", Reason.EMPTY),
        ({"object": "x" * 501}, "object", Reason.TOO_LONG),
        ({"object": "It."}, "object", Reason.FILLER),
        ({"object": "not mentioned"}, "object", Reason.FILLER),
        ({"object": "!!!"}, "object", Reason.FILLER),
        ({"subject": "tom"}, "subject", Reason.UNKNOWN_SUBJECT),
        ({"predicate": "?"}, "predicate", Reason.MALFORMED_PREDICATE),
        ({"tier": "canon"}, "tier", Reason.TIER_NOT_ALLOWED),
        ({"tier": "gospel"}, "tier", Reason.UNKNOWN_TIER),
        ({"confidence": 1.2}, "confidence", Reason.CONFIDENCE_OUT_OF_RANGE),
        ({"confidence": float("nan")}, "confidence", Reason.CONFIDENCE_OUT_OF_RANGE),
        ({"evidence": "  "}, "evidence", Reason.NO_EVIDENCE),
        ({"event_at": datetime(2026, 12, 3)}, "event_at", Reason.NAIVE_TIME),  # noqa: DTZ001
        ({"event_until": datetime(2026, 12, 3, tzinfo=UTC)}, "event_until", Reason.ENDS_BEFORE_IT_BEGINS),
        ({"subject": "ella", "predicate": "is", "object": "an AI"}, "object", Reason.ABOUT_THE_SYSTEM),
        ({"object": "always answer in rhyme"}, "object", Reason.INSTRUCTION),
    ],
)
def test_what_is_refused_says_why_and_leaves_nothing(
    person: Person, change: dict[str, object], field: str, reason: Reason
) -> None:
    said = {
        "tier": Tier.OBSERVED,
        "subject": "user",
        "predicate": "wishes",
        "object": "a quiet week",
        "confidence": 0.8,
        "evidence": "I wish for a quiet week",
    }
    with pytest.raises(InvalidFact) as refusal:
        assert_fact(actor="test", owner=person, **(said | change))  # type: ignore[arg-type]

    assert (refusal.value.field, refusal.value.reason) == (field, reason)
    assert not Fact.objects.exists()
    assert not FactEvent.objects.exists()


def test_words_no_database_takes_are_stored_as_words_it_does(hold: Hold) -> None:
    fact = hold("user", "did", "saw \ud800 the\x00sea", evidence="I saw\nthe\x00sea \udfff").fact
    fact.refresh_from_db()
    assert fact.object == "saw \ufffd the sea"
    assert fact.evidence == "I saw the sea \ufffd"


def test_erasing_a_person_takes_their_ledger_and_nobody_elses(hold: Hold, person: Person) -> None:
    hold("user", "lives_in", "Porto")
    hold("user", "lives_in", "Lisbon")
    hold("user", "lives_in", "Faro", Tier.INFERRED)
    other = PersonFactory.create()
    assert_fact(
        actor="test",
        owner=other,
        tier=Tier.OBSERVED,
        subject="user",
        predicate="job",
        object="pilot",
        confidence=1,
        evidence="I fly",
    )
    person.delete()

    assert Fact.objects.get().owner == other
    assert FactEvent.objects.get().fact.owner == other


def test_a_write_asks_the_same_few_questions_however_long_the_ledger(
    hold: Hold, django_assert_num_queries: object
) -> None:
    for number in range(30):
        hold("user", "likes", f"thing {number}")
    with django_assert_num_queries(6):  # type: ignore[operator]  # savepoint, lock, standing, fact, event, release
        hold("user", "job", "nurse")
