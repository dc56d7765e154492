"""People for tests, as registration would have made them."""

import factory

from ella.people.models import Person


class PersonFactory(factory.django.DjangoModelFactory[Person]):
    class Meta:
        model = Person
        skip_postgeneration_save = True

    username = factory.Sequence(lambda number: f"person{number}")
    display_name = factory.Sequence(lambda number: f"Ana {number}")
    timezone = "Europe/Lisbon"
    country = "PT"
    language = "en"
