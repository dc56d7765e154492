from django.apps import AppConfig


class WorldgenConfig(AppConfig):
    name = "worldgen"
