"""Addresses of the conversation under /api/v1/."""

from django.urls import path

from ella.conversation import api

urlpatterns = [
    path("conversations", api.Conversations.as_view(), name="conversations"),
    path("conversations/<uuid:conversation_id>/messages", api.Messages.as_view(), name="messages"),
    path("turns/<uuid:turn_id>", api.OneTurn.as_view(), name="turn"),
    path("turns/<uuid:turn_id>/trace", api.OneTrace.as_view(), name="turn-trace"),
]
