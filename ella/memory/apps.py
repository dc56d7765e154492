from django.apps import AppConfig


class MemoryConfig(AppConfig):
    name = "ella.memory"
    label = "memory"
