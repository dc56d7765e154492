"""
The two accounts of a house that is tried out: a person who talks, and a moderator who looks on. Running it again
changes nothing. It refuses where real people may live: these passwords are known to everybody.
"""

from __future__ import annotations

import json
from typing import Any

from django.apps import apps
from django.conf import settings
from django.contrib.auth.models import Group
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import transaction

from ella.people.groups import GROUPS, ensure_groups
from ella.people.models import Person, username_key
from ella.people.registration import register
from ella.people.services import appoint

ACTOR = "create_demo"
DEMO = ("demo", "demo-by-the-sea", "Demo")
MODERATOR = ("moderator", "moderator-by-the-sea", "Moderator")


class Command(BaseCommand):
    help = "Create the demo person and a moderator, if they are not there yet, and print how to log in."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--json", action="store_true", help="print one JSON object")
        parser.add_argument("--force", action="store_true", help="also where DATABASE_URL is set and DEBUG is off")

    def handle(self, *args: Any, **options: Any) -> None:
        if settings.DATABASE_URL != settings.EMBEDDED_DATABASE_URL and not settings.DEBUG and not options["force"]:
            raise CommandError(
                "This is not the embedded database, and the passwords of the demo are known to everybody. "
                "Nothing was created; use --force if that is what you want."
            )
        logins = [_ensure(*DEMO, works_here=False), _ensure(*MODERATOR, works_here=True)]
        if options["json"]:
            self.stdout.write(json.dumps({"logins": logins}))
            return
        for login in logins:
            password = login["password"] or "(changed since)"
            self.stdout.write(f"{login['role']}: {login['username']} / {password}")


@transaction.atomic
def _ensure(username: str, password: str, called: str, *, works_here: bool) -> dict[str, Any]:
    person = Person.objects.filter(username_key=username_key(username)).first()
    created = person is None
    if person is None:
        person = register(actor=ACTOR, username=username, password=password, display_name=called)
        if works_here:
            ensure_groups(apps)
            appoint(actor=ACTOR, person=person, groups=Group.objects.filter(name__in=GROUPS))
    return {
        "role": "moderator" if works_here else "person",
        "username": person.username,
        "password": password if person.check_password(password) else None,
        "created": created,
    }
