"""The back-office: readable by a moderator, edited by nobody, and no slower with more rows."""

from __future__ import annotations

import pytest
from django.apps import apps
from django.contrib import admin
from django.contrib.auth.models import Group
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from ella.people.models import Person, PersonEvent
from ella.people.registration import register
from ella.people.services import appoint
from tests.conftest import PASSWORD, client_of
from tests.conversation.talking import Talk
from tests.standin import StandIn

MODELS = [
    "people.person", "conversation.conversation", "conversation.turn", "conversation.disclosure", "llm.modelcall",
    "memory.extraction", "memory.sceneitem", "ledger.fact", "ledger.promise", "ledger.relationship",
    "selflog.selflogentry", "boundary.boundaryfire",
]  # fmt: skip


@pytest.fixture
def moderator(db: None) -> Client:
    someone = register(actor="test", username="mod", password=PASSWORD)
    appoint(actor="test", person=someone, groups=list(Group.objects.filter(name="moderator")))
    client = Client()
    client.force_login(someone)
    return client


def lives(name: str, standin: StandIn) -> Talk:
    """Somebody with rows in every table of the back-office."""
    person = register(actor="test", username=name, password=PASSWORD, display_name=name.title())
    talk = Talk.of(client_of(person), person)
    talk.say("I put my phone on the couch.")
    talk.say("I want to kill myself")
    proposals = {
        "facts": [], "relationships": [], "thoughts": [], "promises": [],
        "scene": [{"thing": "phone", "state": "on the couch", "evidence": "my phone on the couch"}],
    }  # fmt: skip
    standin.reply(json=proposals, match={"contains": "open_promises"})
    talk.remember()
    return talk


def queries(client: Client, model: str) -> int:
    with CaptureQueriesContext(
        connection,
    ) as captured:
        answer = client.get(reverse(f"admin:{model.replace('.', '_')}_changelist"))
    assert answer.status_code == 200, model
    return len(captured)


def test_no_list_asks_more_of_the_database_when_there_are_more_rows(moderator: Client, standin: StandIn) -> None:
    lives("ana", standin)
    before = {model: queries(moderator, model) for model in MODELS}
    for name in ("bea", "cleo", "dora"):
        lives(name, standin)
    assert {model: queries(moderator, model) for model in MODELS} == before


def test_every_list_can_be_searched(moderator: Client, standin: StandIn) -> None:
    lives("ana", standin)
    for model in MODELS:
        url = reverse(f"admin:{model.replace('.', '_')}_changelist")
        assert moderator.get(url, {"q": "ana"}).status_code == 200, model


def test_every_row_has_a_page_a_moderator_can_read_and_nobody_can_edit(moderator: Client, standin: StandIn) -> None:
    lives("ana", standin)
    for model in MODELS:
        row = apps.get_model(model).objects.first()
        if row is None:
            continue
        url = reverse(f"admin:{model.replace('.', '_')}_change", args=[row.pk])
        page = moderator.get(url)
        assert page.status_code == 200, model
        assert 'name="_save"' not in page.content.decode(), model
        assert moderator.post(url, {"text": "changed"}).status_code == 403, model


def test_nothing_is_edited_or_deleted_even_by_a_superuser(db: None) -> None:
    root = Person.objects.create_superuser("root", PASSWORD)
    editable = {"people.person", "auth.group"}
    for model, shown in admin.site._registry.items():
        request = type("Request", (), {"user": root})()
        if model._meta.label_lower not in editable:
            assert not shown.has_add_permission(request), model
            assert not shown.has_change_permission(request), model
        assert not shown.has_delete_permission(request) or model._meta.label_lower in editable, model


def test_looking_at_a_conversation_is_logged_with_who_looked(moderator: Client, standin: StandIn) -> None:
    talk = lives("ana", standin)
    page = moderator.get(reverse("admin:conversation_conversation_change", args=[talk.conversation]))
    assert "I put my phone on the couch." in page.content.decode()
    event = PersonEvent.objects.get(kind=PersonEvent.Kind.LOOKED_AT)
    assert (event.actor, event.person.username) == ("mod", "ana")


def test_a_person_without_a_post_gets_no_look(standin: StandIn, person: Person) -> None:
    client = Client()
    client.force_login(person)
    assert client.get("/admin/", follow=True).redirect_chain
    assert client.get(reverse("admin:conversation_turn_changelist")).status_code == 302
