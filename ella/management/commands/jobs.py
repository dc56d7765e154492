"""
`manage.py jobs`: what runs on a clock here, and one of them run by hand. It runs a job exactly as the clock does, in
this process; it never changes when the clock runs it.
"""

from __future__ import annotations

import json
from argparse import ArgumentParser
from datetime import UTC, datetime

from django.core.management.base import BaseCommand, CommandError
from django.utils.dateparse import parse_datetime

from ella.jobs import BY_NAME, JOBS


class Command(BaseCommand):
    help = "List the jobs of the clock; `jobs run NAME` runs one now."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--json", action="store_true", help="a JSON line for each job")
        verbs = parser.add_subparsers(dest="verb", metavar="run")
        run = verbs.add_parser("run", help="run one job now")
        run.add_argument("name", choices=sorted(BY_NAME))
        run.add_argument("--at", type=_aware, metavar="TIME", help="as if it were this moment (ISO 8601, UTC if it says no zone)")
        run.add_argument("--json", action="store_true", default=argparse.SUPPRESS, help="the outcome as a JSON line")

    def handle(self, *, verb: str | None, **options: object) -> None:
        pass
