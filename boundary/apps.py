from django.apps import AppConfig

from boundary.checks import register_checks


class BoundaryConfig(AppConfig):
    name = "boundary"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        register_checks()
