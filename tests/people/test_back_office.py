"""People in the admin: found, read, followed, and let in or out by a service that writes it down."""

from typing import Any

import pytest
from django.apps import apps
from django.contrib.auth.models import Group
from django.test import Client
from django.utils.html import escape

from ella.people import services
from ella.people.groups import GROUPS, MODERATOR, OPERATOR, ensure_groups
from ella.people.models import DeviceToken, Person, PersonEvent
from tests.conftest import PASSWORD

PEOPLE = "/admin/people/person/"
QUERIES_OF_THE_LIST = 10


def staff(username: str, *groups: str) -> Person:
    ensure_groups(apps)
    person = Person.objects.create_user(username, PASSWORD)
    return services.appoint(actor="test", person=person, groups=Group.objects.filter(name__in=groups))


def logged_in(person: Person) -> Client:
    browser = Client()
    browser.force_login(person)
    return browser


@pytest.fixture
def moderator(db: None) -> Client:
    return logged_in(staff("mo", MODERATOR))


@pytest.fixture
def operator(db: None) -> Client:
    return logged_in(staff("op", MODERATOR, OPERATOR))


def page_of(person: Person) -> str:
    return f"{PEOPLE}{person.pk}/change/"


def test_a_moderator_finds_people_by_either_name(moderator: Client, person: Person, other_person: Person) -> None:
    found = moderator.get(PEOPLE, {"q": "Nour"}).content.decode()

    assert str(person.pk) in found
    assert str(other_person.pk) not in found


def test_a_page_shows_what_happened_to_the_account_and_no_secret(moderator: Client, person: Person) -> None:
    login = services.log_in(actor="nour", person=person, device="Nour's phone")
    person.refresh_from_db()

    shown = moderator.get(page_of(person)).content.decode()

    assert escape("Nour's phone") in shown
    assert "Europe/Lisbon" in shown
    row = DeviceToken.logins.get()
    for secret in (person.password, login.token, row.digest, row.token_key):
        assert secret not in shown


def test_whoever_opens_a_conversation_is_written_down(moderator: Client, person: Person) -> None:
    conversation = person.conversations.get()

    assert moderator.get(f"/admin/conversation/conversation/{conversation.pk}/change/").status_code == 200

    (event,) = person.events.filter(kind=PersonEvent.Kind.LOOKED_AT)
    assert (event.actor, event.detail) == ("mo", {"what": "conversation.conversation", "id": str(conversation.pk)})


def test_only_the_newest_events_are_shown(moderator: Client, person: Person) -> None:
    for number in range(30):
        services.change_profile(actor="nour", person=person, changes={"display_name": f"Name-{number}-"})

    shown = moderator.get(page_of(person)).content.decode()

    assert "Name-29-" in shown
    assert "Name-5-" not in shown


def test_a_moderator_looks_and_cannot_change_anything(moderator: Client, person: Person) -> None:
    response = moderator.post(page_of(person), {"is_staff": "on", "is_active": "", "_save": "Save"})

    assert response.status_code == 403
    person.refresh_from_db()
    assert (person.is_active, person.is_staff) == (True, False)
    assert not person.events.filter(kind=PersonEvent.Kind.ACCESS_CHANGED).exists()


def test_nobody_adds_or_deletes_people_here(operator: Client, person: Person) -> None:
    assert operator.get(f"{PEOPLE}add/").status_code == 403
    assert operator.post(f"{PEOPLE}{person.pk}/delete/", {"post": "yes"}).status_code == 403
    assert Person.objects.filter(pk=person.pk).exists()


def test_an_operator_makes_somebody_a_moderator_and_it_is_written_down(operator: Client, person: Person) -> None:
    group = Group.objects.get(name=MODERATOR)

    response = operator.post(page_of(person), form(is_active="on", is_staff="on", groups=[group.pk]))

    assert response.status_code == 302
    person.refresh_from_db()
    assert person.is_staff
    assert list(person.groups.all()) == [group]
    (event,) = person.events.filter(kind=PersonEvent.Kind.ACCESS_CHANGED)
    assert event.actor == "op"
    assert event.detail == {"is_staff": {"old": False, "new": True}, "groups": {"old": [], "new": [MODERATOR]}}


def test_what_is_only_shown_cannot_be_slipped_into_the_form(operator: Client, person: Person) -> None:
    operator.post(page_of(person), form(is_active="on", is_superuser="on", username="root", password="x"))

    person.refresh_from_db()
    assert (person.is_superuser, person.username) == (False, "nour")
    assert person.check_password(PASSWORD)


def test_whoever_is_let_in_no_more_is_out_everywhere_at_once(operator: Client, person: Person, api: Any) -> None:
    browser = logged_in(person)

    operator.post(page_of(person), form())

    assert api.get("/api/v1/me").status_code == 401
    assert browser.get("/api/v1/me").status_code == 401
    assert not DeviceToken.logins.of(person).exists()


def test_nobody_decides_over_themselves_or_over_a_superuser(db: None) -> None:
    somebody = staff("op", MODERATOR, OPERATOR)
    root = Person.objects.create_superuser("root", PASSWORD)
    browser = logged_in(somebody)

    for person in (somebody, root):
        assert browser.post(page_of(person), form()).status_code == 403
        person.refresh_from_db()
        assert person.is_active
    with pytest.raises(services.OwnAccess):
        services.change_access(actor=somebody, person=somebody, is_active=True, is_staff=True, groups=[])
    with pytest.raises(PermissionError):
        services.change_access(actor=somebody, person=root, is_active=False, is_staff=True, groups=[])
    assert not PersonEvent.objects.filter(person=root).exists()


def test_the_list_costs_the_same_with_a_hundred_people(moderator: Client, django_assert_num_queries: Any) -> None:
    with django_assert_num_queries(QUERIES_OF_THE_LIST):
        moderator.get(PEOPLE)
    Person.objects.bulk_create(Person(username=f"person-{number}") for number in range(100))

    with django_assert_num_queries(QUERIES_OF_THE_LIST):
        moderator.get(PEOPLE)


def test_a_new_password_is_written_down_and_ends_the_other_logins(moderator: Client) -> None:
    person = Person.objects.get(username="mo")
    other_browser = logged_in(person)
    services.log_in(actor="mo", person=person)
    sent = {"old_password": PASSWORD, "new_password1": "tide tables 4471", "new_password2": "tide tables 4471"}

    assert moderator.post("/admin/password_change/", sent).status_code == 302

    person.refresh_from_db()
    assert person.check_password("tide tables 4471")
    assert person.events.filter(kind=PersonEvent.Kind.PASSWORD_CHANGED).count() == 1
    assert moderator.get(PEOPLE).status_code == 200
    assert other_browser.get(PEOPLE).status_code == 302
    assert not DeviceToken.logins.exists()


@pytest.mark.parametrize("name", GROUPS)
def test_every_permission_of_a_group_is_one_that_django_knows(db: None, name: str) -> None:
    ensure_groups(apps)
    granted = Group.objects.get(name=name).permissions.select_related("content_type")

    assert {f"{one.content_type.app_label}.{one.codename}" for one in granted} == set(GROUPS[name])
    for permission in granted:
        assert permission.content_type.model_class() is not None
        assert permission.name == f"Can {permission.codename.split('_')[0]} {permission.content_type.name}"


def test_no_group_may_add_or_delete_anything(db: None) -> None:
    written = {permission.split(".")[1] for permissions in GROUPS.values() for permission in permissions}

    assert {name.split("_")[0] for name in written} == {"view", "change"}
    assert [name for name in written if name.startswith("change")] == ["change_person"]


def form(**fields: Any) -> dict[str, Any]:
    """The change form as a browser sends it; a box that is not ticked is not sent."""
    events = {"events-TOTAL_FORMS": 0, "events-INITIAL_FORMS": 0, "events-MIN_NUM_FORMS": 0, "events-MAX_NUM_FORMS": 0}
    return {**events, "_save": "Save", **fields}
