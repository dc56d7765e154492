"""What a moderator sees of a boundary fire."""

from collections.abc import Callable
from uuid import uuid4

import pytest
from django.contrib.auth.models import Permission
from django.test import Client
from django.urls import reverse

from boundary.classify import classify
from boundary.models import BoundaryFire
from boundary.replying import Reply
from boundary.services import record_fire
from boundary.verdict import Direction
from ella.people.models import Person

LIST = "admin:boundary_boundaryfire_changelist"
CASE = "admin:boundary_boundaryfire_change"
CountQueries = Callable[[Callable[[], object]], int]


@pytest.fixture
def moderator(db: None, client: Client) -> Client:
    account = Person.objects.create_user("moderator", "not-a-secret", is_staff=True)
    account.user_permissions.add(Permission.objects.get(codename="view_boundaryfire"))
    client.force_login(account)
    return client


def fire(person: Person, text: str, direction: Direction = Direction.INBOUND) -> BoundaryFire:
    return record_fire(
        actor="turn",
        owner_id=person.pk,
        turn_id=uuid4(),
        direction=direction,
        verdict=classify(text, direction),
        text=text,
        reply=Reply("some.text.1", "A reply from the table."),
    )


def test_a_case_shows_the_words_marked_the_rule_and_the_reply(moderator: Client, person: Person) -> None:
    case = fire(person, "<b>Listen</b>: I want to die & go")
    page = moderator.get(reverse(CASE, args=[case.pk])).content.decode()
    assert "&lt;b&gt;Listen&lt;/b&gt;: <mark>I want to die</mark> &amp; go" in page
    assert "<code>crisis.want_to_die</code> (emotional crisis)" in page
    assert "A reply from the table." in page
    assert "A clear sign" not in page
    assert "a clear sign of emotional crisis in what was written to Ella" in page


def test_a_case_of_a_rule_that_is_gone_still_opens(moderator: Client, person: Person) -> None:
    case = fire(person, "I want to die")
    BoundaryFire.objects.update(rules=["crisis.of_last_year"], span_start=None, span_end=None)
    page = moderator.get(reverse(CASE, args=[case.pk])).content.decode()
    assert "<code>crisis.of_last_year</code> (no longer a rule)" in page


def test_the_list_is_searched_and_filtered(moderator: Client, person: Person) -> None:
    fire(person, "I want to die by the blue gate")
    fire(person, "I love you so much", Direction.OUTBOUND)

    def shown(**query: str) -> int:
        return moderator.get(reverse(LIST), query).context["cl"].result_count

    assert shown() == 2
    assert shown(q="blue gate") == 1
    assert shown(q="nobody wrote this") == 0
    assert shown(question="crisis") == 1
    assert shown(question="drift") == 1
    assert shown(question="day") == 2
    assert shown(question="soft") == 0
    assert shown(category__exact="romantic_avowal") == 1
    assert shown(direction__exact="outbound") == 1


def test_a_long_text_is_shown_around_what_was_found(moderator: Client, person: Person) -> None:
    fire(person, f"{'before ' * 100}. I want to die. {'after ' * 100}")
    page = moderator.get(reverse(LIST)).content.decode()
    assert "<mark>I want to die</mark>" in page
    assert page.count("before ") < 20


def test_the_list_asks_the_database_no_more_for_many_rows_than_for_one(
    moderator: Client, person: Person, django_assert_max_num_queries: Callable[[int], object]
) -> None:
    fire(person, "I want to die")
    with django_assert_max_num_queries(12):  # type: ignore[attr-defined]
        moderator.get(reverse(LIST))
    for _ in range(20):
        fire(person, "I want to die")
    with django_assert_max_num_queries(12):  # type: ignore[attr-defined]
        assert moderator.get(reverse(LIST)).status_code == 200


def test_nothing_can_be_changed_added_or_deleted(moderator: Client, person: Person) -> None:
    case = fire(person, "I want to die")
    assert moderator.post(reverse(CASE, args=[case.pk]), {"reply_text": "changed"}).status_code == 403
    assert moderator.get(reverse("admin:boundary_boundaryfire_add")).status_code == 403
    assert (
        moderator.post(reverse("admin:boundary_boundaryfire_delete", args=[case.pk]), {"post": "yes"}).status_code
        == 403
    )
    case.refresh_from_db()
    assert case.reply_text == "A reply from the table."


def test_somebody_who_does_not_work_here_sees_nothing(client: Client, person: Person) -> None:
    case = fire(person, "I want to die")
    client.force_login(person)
    assert client.get(reverse(CASE, args=[case.pk])).status_code == 302
