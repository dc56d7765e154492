from django.apps import AppConfig


class ModelGatewayConfig(AppConfig):
    name = "ella.llm"
    label = "llm"
