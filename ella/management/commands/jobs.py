"""
`manage.py jobs`: what runs on a clock here, and one of them run by hand. It runs a job exactly as the clock does, in
this process; it never changes when the clock runs it.
"""

from __future__ import annotations

import json
from argparse import SUPPRESS, ArgumentParser, ArgumentTypeError
from datetime import UTC, datetime
from typing import Any

from django.core.management.base import BaseCommand
from django.utils.dateparse import parse_datetime

from ella.clock import utc_now
from ella.jobs import BY_NAME, JOBS, Job


class Command(BaseCommand):
    help = "List what runs on the clock; `jobs run NAME` runs one of it now."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--json", action="store_true", help="a JSON line each")
        verbs = parser.add_subparsers(dest="verb", metavar="run")
        run = verbs.add_parser("run", help="run one job now")
        run.add_argument("name", metavar="NAME", choices=sorted(BY_NAME), help=", ".join(sorted(BY_NAME)))
        run.add_argument("--at", metavar="TIME", type=_moment, help="as if it were then (ISO 8601; UTC without a zone)")
        # After the verb as well as before it; absent, it leaves the one before it alone.
        run.add_argument("--json", action="store_true", default=SUPPRESS, help="the outcome as JSON")

    def handle(self, *, verb: str | None, **options: Any) -> None:
        if verb == "run":
            self._run(BY_NAME[options["name"]], options["at"] or utc_now(), as_json=options["json"])
        elif options["json"]:
            for job in JOBS:
                self.stdout.write(
                    json.dumps({"name": job.name, "every_seconds": job.every.total_seconds(), "what": job.what})
                )
        else:
            widest = max(len(job.name) for job in JOBS)
            for job in JOBS:
                self.stdout.write(f"{job.name:<{widest}}  every {job.every}  {job.what}")

    def _run(self, job: Job, at: datetime, *, as_json: bool) -> None:
        rows = job.run(at)
        if as_json:
            self.stdout.write(json.dumps({"name": job.name, "at": at.isoformat(), "rows": rows}))
        else:
            self.stdout.write(f"{job.name}: {rows} rows")


def _moment(text: str) -> datetime:
    try:
        found = parse_datetime(text)
    except ValueError as exc:
        raise ArgumentTypeError(f"{text}: {exc}") from exc
    if found is None:
        raise ArgumentTypeError(f"{text} is no moment; write one like 2026-03-01T07:30:00+01:00")
    return found if found.tzinfo else found.replace(tzinfo=UTC)
