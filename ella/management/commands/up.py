"""
`manage.py up`: the whole house on this machine, from an empty folder to an open page, until Ctrl-C. What it starts is
in `house_parts`; it never changes a setting of a house that sets its own.
"""

from __future__ import annotations

import signal
import sys
import time
from argparse import ArgumentParser
from io import StringIO
from types import FrameType

from django.conf import settings
from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandError
from django.db import connections

from ella.house_parts import Address, is_ready, parts, stand_in_address
from ella.process_group import Ended, ProcessGroup

READY_WITHIN_S = 60.0
LOOK_EVERY_S = 0.2
# The end of the terminal counts as Ctrl-C.
ENDING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


class Command(BaseCommand):
    help = "Start web, worker, clock and, without ANTHROPIC_API_KEY, the stand-in model; Ctrl-C ends them all."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--host", default="127.0.0.1", help="where the pages and the API listen (127.0.0.1)")
        parser.add_argument("--port", type=int, default=8000, help="and on which port (8000)")
        parser.add_argument("--model-port", type=int, help="port of the stand-in model (that of OFFLINE_MODEL_URL)")

    def handle(self, *, host: str, port: int, model_port: int | None, verbosity: int, **options: object) -> None:
        web, model = Address(host, port), stand_in_address()
        if model is not None and model_port is not None:
            model = Address(model.host, model_port)
        self._refuse_a_taken_port(web, "--port")
        if model is not None:
            self._refuse_a_taken_port(model, "--model-port")
        call_command("migrate", verbosity=0)
        logins = StringIO()
        if settings.DATABASE_URL == settings.EMBEDDED_DATABASE_URL:
            call_command(
                "create_demo", stdout=logins
            )  # everybody knows its passwords: never in somebody's own database
        # The parts have connections of their own; this process needs none from here on.
        connections.close_all()
        with ProcessGroup(parts(web, model), tell=self._tell, cwd=settings.BASE_DIR) as group:
            asked = _EndWhenAsked(group)
            ended = self._wait_until_ready(group, web, asked)
            if ended is None and not asked.to_end:
                self._welcome(web, model, logins.getvalue())
                ended = group.first_to_end()
            if asked.to_end:
                self.stdout.write("\nStopping.")
        if ended is not None and not asked.to_end:
            raise CommandError(f"{ended}; the rest was stopped.", returncode=_exit_code(ended))

    def _refuse_a_taken_port(self, address: Address, option: str) -> None:
        if not address.is_free():
            raise CommandError(
                f"Port {address.port} on {address.host} is taken by another program. "
                f"Stop that one, or choose another port with {option}."
            )

    def _wait_until_ready(self, group: ProcessGroup, web: Address, asked: _EndWhenAsked) -> Ended | None:
        latest = time.monotonic() + READY_WITHIN_S
        while not asked.to_end and not is_ready(web):
            ended = group.first_to_end(timeout=LOOK_EVERY_S)
            if ended is not None:
                return ended
            if time.monotonic() > latest:
                raise CommandError(f"The house did not become ready within {READY_WITHIN_S:.0f} seconds.")
        return None

    def _welcome(self, web: Address, model: Address | None, logins: str) -> None:
        lines = [
            "",
            f"Ella is at home:   {web}/",
            f"Back-office:       {web}/admin/",
            f"The API, to read:  {web}/api/docs/",
        ]
        if model is not None:
            lines += ["", "No language model is connected (ANTHROPIC_API_KEY is not set): a stand-in writes her words."]
        self.stdout.write("\n".join([*lines, "", *filter(None, [logins.strip()]), "", "Ctrl-C ends all of it.", ""]))
        self.stdout.flush()

    def _tell(self, name: str, line: str) -> None:
        self.stdout.write(f"{name:<6} | {line}")
        self.stdout.flush()


class _EndWhenAsked:
    """Turns the first ending signal into the end of waiting; a second one kills at once."""

    def __init__(self, group: ProcessGroup) -> None:
        self._group = group
        self.to_end = False
        for signum in ENDING:
            signal.signal(signum, self._asked)

    def _asked(self, signum: int, frame: FrameType | None) -> None:
        if self.to_end:
            self._group.kill()
            sys.exit(128 + signum)
        self.to_end = True
        self._group.interrupt()


def _exit_code(ended: Ended) -> int:
    """That of the part, as a shell would tell it; never 0, since a part that ends by itself is a failure."""
    return ended.returncode if ended.returncode > 0 else 128 - ended.returncode if ended.returncode < 0 else 1
