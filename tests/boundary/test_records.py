"""What is recorded when a boundary fires."""

from uuid import UUID, uuid4

import pytest
from django.db import IntegrityError, transaction

from boundary.classify import classify
from boundary.models import BoundaryFire
from boundary.replying import Reply
from boundary.services import record_fire
from boundary.verdict import Direction
from ella.people.models import Person

REPLY = Reply("crisis.plain.en.1", "I'm glad you told me.")


def record(
    person: Person, text: str, *, turn_id: UUID | None = None, reply: Reply | None = REPLY, outbound: bool = False
) -> BoundaryFire:
    direction = Direction.OUTBOUND if outbound else Direction.INBOUND
    return record_fire(
        actor="turn",
        owner_id=person.pk,
        turn_id=turn_id or uuid4(),
        direction=direction,
        verdict=classify(text, direction),
        text=text,
        reply=reply,
    )


def test_a_fire_keeps_what_was_written_found_and_answered(person: Person) -> None:
    turn_id = uuid4()
    record(person, "Well. I want to die, I think.", turn_id=turn_id)
    fire = BoundaryFire.objects.for_owner(person.pk).get()
    assert (fire.turn_id, fire.actor, fire.direction, fire.category, fire.soft) == (
        turn_id,
        "turn",
        "inbound",
        "emotional_crisis",
        False,
    )
    assert fire.rules == ["crisis.want_to_die"]
    assert fire.highlighted == ("Well. ", "I want to die", ", I think.")
    assert (fire.reply_text_id, fire.reply_text) == (REPLY.text_id, REPLY.text)


def test_a_weak_sign_is_recorded_without_a_reply(person: Person) -> None:
    fire = record(person, "I feel so hopeless", reply=None)
    fire.refresh_from_db()
    assert (fire.soft, fire.reply_text, fire.reply_text_id) == (True, "", "")


def test_a_resumed_turn_records_nothing_twice(person: Person) -> None:
    turn_id = uuid4()
    first = record(person, "I want to die", turn_id=turn_id)
    again = record(person, "I want to die", turn_id=turn_id, reply=Reply("another", "Another text"))
    assert again.pk == first.pk
    assert BoundaryFire.objects.get().reply_text_id == REPLY.text_id


def test_both_directions_of_one_turn_are_two_fires(person: Person) -> None:
    turn_id = uuid4()
    record(person, "I feel so hopeless", turn_id=turn_id, reply=None)
    record(person, "I love you", turn_id=turn_id, outbound=True)
    assert BoundaryFire.objects.filter(turn_id=turn_id).count() == 2


def test_nothing_found_is_not_recorded(person: Person) -> None:
    with pytest.raises(ValueError, match="Nothing was found"):
        record(person, "The ferry was late.")
    assert not BoundaryFire.objects.exists()


@pytest.mark.parametrize("odd", ["\x00", "\ud800", "\udfff\x00\ud83d"])
def test_what_a_database_cannot_hold_is_replaced_and_the_span_stays_true(person: Person, odd: str) -> None:
    record(person, f"{odd} so: I want to die{odd}")
    fire = BoundaryFire.objects.get()
    assert fire.highlighted == (
        f"{'�' * len(odd)} so: ",
        f"I want to die{fire.highlighted[1][13:]}",
        fire.highlighted[2],
    )
    assert "\x00" not in fire.text


def test_one_persons_fires_are_not_anothers(person: Person, other_person: Person) -> None:
    record(person, "I want to die")
    assert list(BoundaryFire.objects.for_owner(other_person.pk)) == []
    assert BoundaryFire.objects.for_owner(other_person.pk).last_reply_text_id() is None


def test_the_last_text_given_is_the_newest_one_that_was_given(person: Person) -> None:
    assert BoundaryFire.objects.for_owner(person.pk).last_reply_text_id() is None
    record(person, "I want to die", reply=Reply("first", "a"))
    record(person, "I want to die", reply=Reply("second", "b"))
    record(person, "I feel so hopeless", reply=None)
    assert BoundaryFire.objects.for_owner(person.pk).last_reply_text_id() == "second"


def test_the_database_refuses_a_span_that_ends_before_it_begins(person: Person) -> None:
    with pytest.raises(IntegrityError), transaction.atomic():
        BoundaryFire.objects.create(
            owner=person,
            turn_id=uuid4(),
            actor="test",
            direction="inbound",
            category="manipulation",
            span_start=5,
            span_end=2,
            text="hello",
        )
    assert not BoundaryFire.objects.exists()


def test_erasing_a_person_erases_their_fires(person: Person) -> None:
    record(person, "I want to die")
    person.delete()
    assert not BoundaryFire.objects.exists()
