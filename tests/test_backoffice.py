"""The back-office: readable by a moderator and never unseen, edited by nobody, and no slower with more rows."""

from __future__ import annotations

import pytest
from django.apps import apps
from django.contrib import admin
from django.contrib.auth.models import Group
from django.db import connection
from django.db.models import Model
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
OF_A_PERSON = [*(model for model in MODELS if model != "people.person"), "llm.spend"]
SAID = "My sister lives in Porto. I put my phone on the couch. I'll send you the map tomorrow."
READ = {
    "facts": [
        {
            "subject": "user.sister", "predicate": "lives_in", "object": "Porto", "speaker": "person",
            "basis": "told", "when_words": "", "evidence": "My sister lives in Porto",
        }
    ],
    "scene": [{"thing": "phone", "state": "on the couch", "evidence": "my phone on the couch"}],
    "promises": [
        {
            "change": "made", "who": "person", "to": "ella", "what": "send the map",
            "when_words": "tomorrow", "evidence": "I'll send you the map tomorrow",
        }
    ],
    "relationships": [
        {
            "who": "ella", "towards": "person", "state": "glad of her trust",
            "cause": "she told of her sister", "evidence": "I am glad you told me",
        }
    ],
    "thoughts": [
        {
            "content": "I keep thinking about the gulls", "about": [], "certainty": "happened",
            "evidence": "I keep thinking about the gulls",
        }
    ],
}  # fmt: skip


@pytest.fixture
def moderator(db: None) -> Client:
    someone = register(actor="test", username="mod", password=PASSWORD)
    appoint(actor="test", person=someone, groups=list(Group.objects.filter(name="moderator")))
    client = Client()
    client.force_login(someone)
    return client


def lives(name: str, standin: StandIn) -> Talk:
    """Somebody with rows in every table of MODELS."""
    person = register(actor="test", username=name, password=PASSWORD, display_name=name.title())
    talk = Talk.of(client_of(person), person)
    standin.reply("I keep thinking about the gulls. I am glad you told me.", match={"contains": SAID})
    talk.say(SAID)
    standin.reply(json=READ, match={"contains": "open_promises"})
    talk.remember()
    talk.say("I want to kill myself")
    return talk


def row_of(username: str, model: str) -> Model:
    rows = apps.get_model(model).objects
    fields = {field.name for field in rows.model._meta.get_fields()}
    row: Model | None = rows.filter(
        **{f"{'' if 'owner' in fields else 'conversation__'}owner__username": username}
    ).first()
    assert row is not None, model
    return row


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
        assert row is not None, model
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


def looks() -> list[tuple[str, str, dict[str, str]]]:
    """Who looked at whom, and at what."""
    found = PersonEvent.objects.filter(kind=PersonEvent.Kind.LOOKED_AT)
    return list(found.values_list("actor", "person__username", "detail"))


def test_every_table_that_belongs_to_people_is_among_those_tested_here() -> None:
    names = {"owner", "person", "conversation"}
    owned = [m for m in admin.site._registry if names & {field.name for field in m._meta.get_fields()}]
    assert sorted(model._meta.label_lower for model in owned) == sorted(OF_A_PERSON)


@pytest.mark.django_db
@pytest.mark.parametrize("model", OF_A_PERSON)
def test_whoever_opens_a_row_of_a_person_is_written_down(standin: StandIn, model: str) -> None:
    lives("ana", standin)
    root = Client()  # who may read every table, the money too
    root.force_login(Person.objects.create_superuser("root", PASSWORD))
    row = row_of("ana", model)
    url = reverse(f"admin:{model.replace('.', '_')}_change", args=[row.pk])
    assert root.get(url).status_code == 200
    assert looks() == [("root", "ana", {"what": model, "id": str(row.pk)})]


def test_a_moderator_reads_what_was_said_and_each_look_counts(moderator: Client, standin: StandIn) -> None:
    talk = lives("ana", standin)
    url = reverse("admin:conversation_conversation_change", args=[talk.conversation])
    for _ in range(2):
        assert "I put my phone on the couch." in moderator.get(url).content.decode()
    assert looks() == 2 * [("mod", "ana", {"what": "conversation.conversation", "id": talk.conversation})]


def test_what_shows_nothing_is_no_look(moderator: Client, standin: StandIn) -> None:
    talk = lives("ana", standin)
    url = reverse("admin:conversation_conversation_change", args=[talk.conversation])
    stranger = Client()
    stranger.force_login(Person.objects.get(username="ana"))
    assert moderator.post(url, {"title": "changed"}).status_code == 403
    assert stranger.get(url).status_code == 302
    missing = reverse("admin:conversation_conversation_change", args=["00000000-0000-4000-8000-000000000000"])
    assert moderator.get(missing).status_code == 302
    assert looks() == []


def test_no_list_of_turns_or_conversations_shows_what_was_said(moderator: Client, standin: StandIn) -> None:
    lives("ana", standin)
    for model in ("conversation_turn", "conversation_conversation"):
        page = moderator.get(reverse(f"admin:{model}_changelist")).content.decode()
        assert "ana" in page
        for words in ("couch", "kill myself", "gulls"):
            assert words not in page


def test_a_conversations_turns_are_counted_one_by_one_with_those_that_failed(
    moderator: Client, standin: StandIn
) -> None:
    talk = lives("ana", standin)
    standin.fail("bad_request")
    talk.post("Hello?")
    register(actor="test", username="bea", password=PASSWORD)
    shown = moderator.get(reverse("admin:conversation_conversation_changelist")).context["cl"].result_list
    counts = {row.owner.username: (row.turn_count, row.failed_count) for row in shown}
    assert counts == {"ana": (3, 1), "bea": (0, 0), "mod": (0, 0)}


def test_no_search_counts_a_whole_table() -> None:
    assert [model for model, shown in admin.site._registry.items() if shown.show_full_result_count] == []


def test_a_person_without_a_post_gets_no_look(standin: StandIn, person: Person) -> None:
    client = Client()
    client.force_login(person)
    assert client.get("/admin/", follow=True).redirect_chain
    assert client.get(reverse("admin:conversation_turn_changelist")).status_code == 302


@pytest.mark.parametrize("asked", ["status__exact=%00", "subject=%00", "q=%00", "created_at__year=99999"])
def test_a_filter_nobody_could_click_leads_back_to_the_list(moderator: Client, standin: StandIn, asked: str) -> None:
    lives("ana", standin)
    for model in MODELS:
        url = reverse(f"admin:{model.replace('.', '_')}_changelist")
        assert moderator.get(f"{url}?{asked}").status_code in (200, 302), model
