"""
`manage.py demo`: a week with Ella, played over the REST API in a house of its own, with real processes and no key.
"""

from __future__ import annotations

import json
import time
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from ella.demonstration.client import DemoFailed
from ella.demonstration.house import House, HouseFailed
from ella.demonstration.week import Week


class Command(BaseCommand):
    help = "Play a scripted week in a throw-away house and tell what she said, remembered and refused."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--json", action="store_true", help="Only the counts, as one JSON object.")

    def _tell(self, line: str) -> None:
        self.stdout.write(line)
        self.stdout.flush()  # somebody watches, also through a pipe

    def handle(self, *args: Any, **options: Any) -> None:
        began = time.monotonic()
        tell = (lambda _: None) if options["json"] else self._tell
        tell(
            "Starting a house for the demo: web, worker, clock and the stand-in model. No language model is connected."
        )
        try:
            # Short leases, so that a killed worker is noticed while somebody watches.
            with House(environment={"REMEMBER_LEASE_S": "3", "THROTTLE_MESSAGES": "1000/min"}) as house:
                counted = Week(house, tell).play()
        except (DemoFailed, HouseFailed) as failure:
            raise CommandError(f"demo: failed: {failure}") from failure
        if options["json"]:
            self.stdout.write(json.dumps(counted))
            return
        told = ", ".join(f"{count} {name}" for name, count in counted.items())
        self.stdout.write(f"\ndemo: ok · {told} · {time.monotonic() - began:.0f} s")
