from django.apps import AppConfig


class PeopleConfig(AppConfig):
    name = "ella.people"
    label = "people"
