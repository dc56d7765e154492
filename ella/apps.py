from django.apps import AppConfig

from ella.checks import register_checks
from ella.clock import start_travelling_clock


class EllaConfig(AppConfig):
    name = "ella"
    label = "ella"
    verbose_name = "Ella"

    def ready(self) -> None:
        register_checks()
        start_travelling_clock()
