from django.apps import AppConfig


class SelflogConfig(AppConfig):
    name = "selflog"
