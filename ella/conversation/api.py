"""
The conversation over REST: lists, one message and its reply (as JSON or as an event stream), a turn and what was
before her when she answered.

Validates, calls a service or a queryset, answers; what is somebody else's is not found. A turn's result is built in
`results.py`, once for every way it is told.
"""

from __future__ import annotations

from typing import Any
from uuid import UUID

from asgiref.sync import async_to_sync
from django.conf import settings
from django.db.models import QuerySet
from django.http import StreamingHttpResponse
from django.http.response import HttpResponseBase
from drf_spectacular.utils import OpenApiParameter, OpenApiResponse, extend_schema, extend_schema_field
from rest_framework import generics, serializers, status
from rest_framework.exceptions import NotFound
from rest_framework.renderers import BaseRenderer, JSONRenderer
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from ella.api_fields import RefusesUnknownFields
from ella.api_schema import failures
from ella.clock import utc_now
from ella.conversation.events import EventName
from ella.conversation.failures import ClientIdConflict, TurnNotAnswered
from ella.conversation.models import Conversation, Message, Turn
from ella.conversation.results import state_as_data
from ella.conversation.services import ClientIdReused, ConversationNotFound, open_conversation, open_turn
from ella.conversation.streaming import event_stream, last_event
from ella.conversation.trace import trace_of
from ella.memory.models import Extraction, ExtractionItem
from ella.pagination import NewestFirst, OwnCursor
from ella.people.requests import person_of
from ella.threads import release_connection

CLIENT_ID = r"^[A-Za-z0-9._:~-]{1,64}\Z"


class ConversationSerializer(RefusesUnknownFields):
    id = serializers.UUIDField(read_only=True)
    title = serializers.CharField(max_length=120, required=False, allow_blank=True, default="")
    client_id = serializers.RegexField(
        CLIENT_ID,
        required=False,
        allow_blank=True,
        default="",
        help_text="Yours; the same one again finds the same conversation.",
    )
    created_at = serializers.DateTimeField(read_only=True)


class NewMessageSerializer(RefusesUnknownFields):
    text = serializers.CharField(max_length=settings.MESSAGE_MAX_CHARS)
    client_id = serializers.RegexField(
        CLIENT_ID, help_text="Yours; the same one again continues the same turn and never makes a second one."
    )


class TurnErrorSerializer(serializers.Serializer[Any]):
    code = serializers.CharField()
    detail = serializers.CharField()


class TurnSerializer(serializers.Serializer[Any]):
    id = serializers.UUIDField()
    conversation = serializers.UUIDField()
    client_id = serializers.CharField()
    status = serializers.ChoiceField(Turn.Status.choices)
    outcome = serializers.ChoiceField(Turn.Outcome.choices, allow_null=True)
    truncated = serializers.BooleanField()
    error = TurnErrorSerializer(allow_null=True)
    memory = serializers.ChoiceField(
        Extraction.Status.choices,
        allow_null=True,
        help_text="How far reading the exchange has come; null: nothing to read.",
    )
    created_at = serializers.DateTimeField()
    settled_at = serializers.DateTimeField(allow_null=True)


class SaidSerializer(serializers.Serializer[Any]):
    id = serializers.UUIDField()
    role = serializers.ChoiceField(Message.Role.choices)
    text = serializers.CharField()
    created_at = serializers.DateTimeField()


class BoundarySerializer(serializers.Serializer[Any]):
    category = serializers.CharField(help_text="`ok`, or what fired.")
    direction = serializers.CharField(
        allow_null=True, help_text="`inbound`: what the person wrote. `outbound`: what the model wrote."
    )
    fired = serializers.BooleanField(help_text="The reply comes from the table.")
    soft = serializers.BooleanField(help_text="A weak signal: the model answered, with care.")


class DisclosureSerializer(serializers.Serializer[Any]):
    reason = serializers.CharField()
    text = serializers.CharField(help_text="To be shown to the person.")
    at = serializers.DateTimeField()


class TurnResultSerializer(serializers.Serializer[Any]):
    turn = TurnSerializer()
    message = SaidSerializer()
    reply = SaidSerializer()
    boundary = BoundarySerializer()
    disclosure = DisclosureSerializer(allow_null=True)


class TurnStateSerializer(TurnResultSerializer):
    reply = SaidSerializer(allow_null=True)


class MessageSerializer(serializers.ModelSerializer[Message]):
    turn = serializers.UUIDField(source="turn_id")
    client_id = serializers.CharField(source="turn.client_id")
    turn_status = serializers.ChoiceField(Turn.Status.choices, source="turn.status")
    turn_outcome = serializers.CharField(source="turn.outcome", help_text="How it was answered; empty: not yet.")
    disclosure = serializers.SerializerMethodField()

    class Meta:
        model = Message
        fields = [
            "id",
            "role",
            "text",
            "position",
            "created_at",
            "turn",
            "client_id",
            "turn_status",
            "turn_outcome",
            "disclosure",
        ]

    @extend_schema_field(DisclosureSerializer(allow_null=True))
    def get_disclosure(self, message: Message) -> dict[str, Any] | None:
        """Beside the message during whose turn it was due."""
        disclosure = getattr(message.turn, "disclosure", None) if message.role == Message.Role.PERSON else None
        return dict(DisclosureSerializer(disclosure).data) if disclosure else None


class ByPosition(OwnCursor):
    """Newest first; a client turns a page around to show it."""

    ordering = "-position"


class TraceItemSerializer(serializers.Serializer[Any]):
    id = serializers.CharField()
    text = serializers.CharField()
    priority = serializers.CharField(help_text="P0 is the highest authority, P4 the lowest.")


class ReadItemSerializer(serializers.Serializer[Any]):
    kind = serializers.ChoiceField(ExtractionItem.Kind.choices)
    proposed = serializers.JSONField()
    outcome = serializers.ChoiceField(ExtractionItem.Outcome.choices)
    reason = serializers.CharField(help_text="Why it was refused.")


class TraceSerializer(serializers.Serializer[Any]):
    turn = serializers.UUIDField()
    model_asked = serializers.BooleanField()
    facts = TraceItemSerializer(many=True)
    promises = TraceItemSerializer(many=True)
    relationships = TraceItemSerializer(many=True)
    thoughts = TraceItemSerializer(many=True)
    scene = TraceItemSerializer(many=True)
    passages = TraceItemSerializer(many=True)
    read = ReadItemSerializer(
        many=True, help_text="What was read out of this exchange afterwards, and what became of it."
    )


class Conversations(generics.ListAPIView[Conversation]):
    """The conversations of the person who asks; a first one exists for everybody."""

    serializer_class = ConversationSerializer
    pagination_class = NewestFirst
    queryset = Conversation.objects.none()  # names the model for the API's description; every read begins below

    def get_queryset(self) -> QuerySet[Conversation]:
        return Conversation.objects.for_owner(person_of(self.request).pk)

    @extend_schema(request=ConversationSerializer, responses={201: ConversationSerializer})
    def post(self, request: Request) -> Response:
        """Open another conversation."""
        asked = ConversationSerializer(data=request.data)
        asked.is_valid(raise_exception=True)
        person = person_of(request)
        conversation = open_conversation(actor=person.username, owner_id=person.pk, **asked.validated_data)
        return Response(ConversationSerializer(conversation).data, status=status.HTTP_201_CREATED)


class Messages(generics.ListAPIView[Message]):
    """What was said in one conversation, newest first, and the place to say something."""

    serializer_class = MessageSerializer
    pagination_class = ByPosition
    queryset = Message.objects.none()  # names the model for the API's description; every read begins below
    throttle_scope = "messages"

    def get_queryset(self) -> QuerySet[Message]:
        person = person_of(self.request)
        if not Conversation.objects.for_owner(person.pk).filter(pk=self.kwargs["conversation_id"]).exists():
            raise NotFound
        said = Message.objects.for_owner(person.pk).filter(conversation_id=self.kwargs["conversation_id"])
        return said.select_related("turn__disclosure")

    @extend_schema(
        request=NewMessageSerializer,
        responses={
            201: TurnResultSerializer,
            **failures(ClientIdConflict, TurnNotAnswered),
            (200, "text/event-stream"): OpenApiResponse(
                str, "Events `turn`, `delta`, `replace`, `done`, `error`; each carries one JSON document."
            ),
        },
        parameters=[
            OpenApiParameter("Accept", str, OpenApiParameter.HEADER, enum=["application/json", "text/event-stream"])
        ],
    )
    def post(self, request: Request, conversation_id: UUID) -> HttpResponseBase:
        """
        Say something to Ella and get her reply.

        With `Accept: text/event-stream` the reply comes sentence by sentence. A message that could not be answered is
        kept; the same `client_id` continues its turn.
        """
        asked = NewMessageSerializer(data=request.data)
        asked.is_valid(raise_exception=True)
        try:
            opened = open_turn(
                owner_id=person_of(request).pk, conversation_id=conversation_id, now=utc_now(), **asked.validated_data
            )
        except ConversationNotFound as error:
            raise NotFound from error
        except ClientIdReused as error:
            raise ClientIdConflict from error
        release_connection()
        if _wants_events(request):
            headers = {"Cache-Control": "no-cache", "X-Accel-Buffering": "no"}
            return StreamingHttpResponse(
                event_stream(opened), content_type="text/event-stream; charset=utf-8", headers=headers
            )
        ending = async_to_sync(last_event)(opened)
        if ending.name is EventName.ERROR:
            raise TurnNotAnswered(ending.data)
        return Response(ending.data, status=status.HTTP_201_CREATED)

    def perform_content_negotiation(self, request: Request, force: bool = False) -> tuple[BaseRenderer, str]:
        """
        An event stream is made by hand; whatever else is answered to one who asked for it (an error, most of all) is
        JSON.
        """
        if _wants_events(request):
            return JSONRenderer(), JSONRenderer.media_type
        return super().perform_content_negotiation(request, force)


class OneTurn(APIView):
    """How a turn stands, and its reply once there is one."""

    @extend_schema(responses=TurnStateSerializer)
    def get(self, request: Request, turn_id: UUID) -> Response:
        return Response(state_as_data(_own_turn(request, turn_id).pk))


class OneTrace(APIView):
    """Which facts, promises, thoughts and passages were before her when she answered."""

    @extend_schema(responses=TraceSerializer)
    def get(self, request: Request, turn_id: UUID) -> Response:
        return Response(trace_of(owner_id=person_of(request).pk, turn_id=_own_turn(request, turn_id).pk))


def _own_turn(request: Request, turn_id: UUID) -> Turn:
    return generics.get_object_or_404(Turn.objects.for_owner(person_of(request).pk), pk=turn_id)


def _wants_events(request: Request) -> bool:
    return "text/event-stream" in request.headers.get("Accept", "")
