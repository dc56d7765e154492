from django.apps import AppConfig


class ConversationConfig(AppConfig):
    name = "ella.conversation"
    label = "conversation"
