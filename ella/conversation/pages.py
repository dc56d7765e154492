"""
The page people write to Ella on. Everything on it works as a plain form: it is sent, answered through the same service
as the API, and shown again. `chat.js` makes it pleasant, and decides nothing.
"""

from __future__ import annotations

import math
import re
import uuid
from typing import Any, cast
from uuid import UUID

from asgiref.sync import async_to_sync
from django import forms
from django.conf import settings
from django.contrib.auth.mixins import LoginRequiredMixin
from django.core.validators import RegexValidator
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import get_object_or_404, render
from django.urls import reverse
from django.utils.decorators import method_decorator
from django.views import View
from django.views.decorators.cache import never_cache
from rest_framework.pagination import Cursor
from rest_framework.throttling import UserRateThrottle

from ella.clock import utc_now
from ella.conversation.api import CLIENT_ID, ByPosition
from ella.conversation.links import FOR_TEXTS_ONLY, SHORT_NUMBERS
from ella.conversation.models import Conversation, Message
from ella.conversation.services import ClientIdReused, open_conversation, open_turn
from ella.conversation.streaming import last_event
from ella.conversation.talk import Talk, talk_of
from ella.conversation.texts import text as house_text
from ella.people.models import Person
from ella.people.requests import person_of
from ella.threads import release_connection

FIRST_CONVERSATION = "first"  # the client_id of one opened here for somebody who had none
# What chat.js says to a person (texts.yaml, under `page.`).
WORDS = (
    "count",
    "earlier_failed",
    "empty",
    "fault",
    "in_line",
    "interrupted",
    "line_broke",
    "logged_out",
    "look_again",
    "not_found",
    "not_readable",
    "offline",
    "page_too_old",
    "send",
    "sending",
    "sent_otherwise",
    "slow_down",
    "today",
    "too_long",
    "unreachable",
    "writing",
    "writing_long",
    "yesterday",
)


class MessageThrottle(UserRateThrottle):
    """The same count as the API's: there is one allowance, by whichever door."""

    scope = "messages"


class MessageForm(forms.Form):
    client_id = forms.CharField(validators=[RegexValidator(CLIENT_ID)])
    text = forms.CharField(max_length=settings.MESSAGE_MAX_CHARS)

    def clean_text(self) -> str:
        """Browsers send a line end as two characters, scripts as one; the same words must stay the same words."""
        text: str = self.cleaned_data["text"]
        return text.replace("\r\n", "\n")


@method_decorator(never_cache, name="dispatch")
class ChatPage(LoginRequiredMixin, View):
    """`/` is somebody's first conversation, `/talk/<id>/` any of theirs."""

    def get(self, request: HttpRequest, conversation_id: UUID | None = None) -> HttpResponse:
        return self._page(request, _conversation(person_of(request), conversation_id))

    def post(self, request: HttpRequest, conversation_id: UUID | None = None) -> HttpResponse:
        """Open the turn, wait for its end, and show the page again; sending the same form twice makes one turn."""
        person = person_of(request)
        conversation = _conversation(person, conversation_id)
        wait_s = _asked_to_wait(request)
        if wait_s:
            response = self._page(request, conversation, problem=_told("slow_down", seconds=wait_s), status=429)
            response["Retry-After"] = str(wait_s)
            return response
        form = MessageForm(request.POST if "text" in request.POST else _said_before(request, conversation))
        if not form.is_valid():
            return self._page(request, conversation, problem=_what_is_wrong(form), status=400)
        if conversation is None:
            conversation = open_conversation(actor=person.username, owner_id=person.pk, client_id=FIRST_CONVERSATION)
        try:
            opened = open_turn(owner_id=person.pk, conversation_id=conversation.pk, now=utc_now(), **form.cleaned_data)
        except ClientIdReused:
            return self._page(request, conversation, problem=_told("sent_otherwise"), status=409)
        release_connection()
        # How it ended stands in the turn, and the page tells it from there.
        async_to_sync(last_event)(opened)
        return HttpResponseRedirect(f"{_address(conversation_id)}#newest")

    def _page(
        self, request: HttpRequest, conversation: Conversation | None, *, problem: str = "", status: int = 200
    ) -> HttpResponse:
        person = person_of(request)
        before = _position(request)
        now = utc_now()
        talk = Talk()
        if conversation is not None:
            talk = talk_of(person=person, conversation_id=conversation.pk, before=before, now=now)
        context = {
            "talk": talk,
            "older_page": before is not None,
            "address": request.path,
            "problem": problem,
            # What was typed is never lost; with a new client_id, because the old one may stand for something sent.
            "text": request.POST.get("text", "") if problem else "",
            "client_id": uuid.uuid4().hex,
            "page": {
                "person": str(person.pk),
                "timezone": person.timezone,
                "now": now.isoformat(),
                "limit": settings.MESSAGE_MAX_CHARS,
                "messages": _messages_url(conversation),
                "earlier": _earlier_url(conversation, talk),
                "newest": before is None,
                "for_texts_only": sorted(FOR_TEXTS_ONLY),
                "short_numbers": sorted(SHORT_NUMBERS),
                "words": {name: house_text(f"page.{name}") for name in WORDS},
            },
        }
        return render(request, "conversation/chat.html", context, status=status)


def _conversation(person: Person, conversation_id: UUID | None) -> Conversation | None:
    """The one asked for, or the first; None for somebody who has none yet. Raises Http404."""
    own = Conversation.objects.for_owner(person.pk)
    if conversation_id is not None:
        return get_object_or_404(own, pk=conversation_id)
    return own.order_by("created_at").first()


def _address(conversation_id: UUID | None) -> str:
    return reverse("talk", args=[conversation_id]) if conversation_id else reverse("chat")


def _position(request: HttpRequest) -> int | None:
    asked = request.GET.get("before", "")
    if not asked:
        return None
    if not (asked.isascii() and asked.isdecimal() and len(asked) < 10):
        raise Http404
    return int(asked)


def _said_before(request: HttpRequest, conversation: Conversation | None) -> dict[str, str]:
    """
    Trying again sends no text: it is what was said under this client_id in this conversation. Raises Http404 where
    nothing was.
    """
    client_id = request.POST.get("client_id", "")
    if conversation is None or not re.match(CLIENT_ID, client_id):
        raise Http404
    # One row at most, by the turns' unique index: a client_id stands for one turn of one conversation.
    said = Message.objects.filter(turn__conversation=conversation, turn__client_id=client_id, role=Message.Role.PERSON)
    text = said.values_list("text", flat=True).first()
    if text is None:
        raise Http404
    return {"client_id": client_id, "text": text}


def _what_is_wrong(form: MessageForm) -> str:
    codes = {error.code for error in form.errors.as_data().get("text", ())}
    if "max_length" in codes:
        return _told("too_long", limit=settings.MESSAGE_MAX_CHARS)
    return _told("empty" if "required" in codes else "not_readable")


def _told(name: str, **values: int) -> str:
    return house_text(f"page.{name}").format(**values)


def _asked_to_wait(request: HttpRequest) -> int:
    """Seconds, or 0."""
    throttle = MessageThrottle()
    # Typed for DRF's request and a view of its; it reads only what both kinds of request have.
    if throttle.allow_request(cast(Any, request), cast(Any, None)):
        return 0
    return max(math.ceil(throttle.wait() or 0), 1)


def _messages_url(conversation: Conversation | None) -> str:
    return reverse("messages", args=[conversation.pk]) if conversation else ""


def _earlier_url(conversation: Conversation | None, talk: Talk) -> str:
    """Where the API goes on with what was said before the first turn on this page."""
    if conversation is None or talk.earlier is None:
        return ""
    pages = ByPosition()
    pages.base_url = _messages_url(conversation)
    return str(pages.encode_cursor(Cursor(offset=0, reverse=False, position=talk.earlier)))
