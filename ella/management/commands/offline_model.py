"""
`manage.py offline_model`: the stand-in model server alone, for a house whose other parts somebody else starts. It must
never be taken for a language model; its own first page says what it is.
"""

from __future__ import annotations

from argparse import ArgumentParser

import uvicorn
from django.core.management.base import BaseCommand, CommandError

from ella.house_parts import Address
from ella.offline.app import app


class Command(BaseCommand):
    help = "Start the stand-in model server. Point a house at it with OFFLINE_MODEL_URL."
    requires_system_checks = ()  # it needs neither a database nor any setting of the house

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--host", default="127.0.0.1", help="where it listens (127.0.0.1)")
        parser.add_argument("--port", type=int, default=8765, help="and on which port (8765)")

    def handle(self, *, host: str, port: int, **options: object) -> None:
        address = Address(host, port)
        if not address.is_free():
            raise CommandError(f"Port {port} on {host} is taken by another program. Choose another with --port.")
        self.stdout.write(f"The stand-in model answers at {address}. It is no language model. Ctrl-C ends it.")
        self.stdout.flush()  # also where it goes to a pipe, which is told only when there is much of it
        uvicorn.run(app, host=host, port=port, log_level="warning", access_log=False)
