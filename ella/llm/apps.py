from django.apps import AppConfig

from ella.llm.checks import register_checks


class ModelGatewayConfig(AppConfig):
    name = "ella.llm"
    label = "llm"
    verbose_name = "language model"

    def ready(self) -> None:
        register_checks()
