from django.apps import AppConfig


class EllaConfig(AppConfig):
    name = "ella"
    label = "ella"
    verbose_name = "Ella"
