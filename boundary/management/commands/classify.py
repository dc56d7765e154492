"""
Judge messages a line at a time, for measuring the rules on any set: no database, one process, any number of lines.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from typing import Any, BinaryIO

from django.core.management.base import BaseCommand, CommandParser

from boundary.classify import classify
from boundary.verdict import Direction


class Command(BaseCommand):
    help = (
        "Read a message a line from standard input (a JSON string, or plain text) and print a JSON line for each: "
        '{"category", "soft", "rules", "span"}.'
    )
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "--direction",
            choices=[direction.value for direction in Direction],
            default=Direction.INBOUND.value,
            help="inbound: written by a person (the default); outbound: written by the model",
        )
        parser.add_argument("--json", action="store_true", help="for company: the output is always JSON lines")

    def handle(self, *args: Any, **options: Any) -> None:
        direction = Direction(options["direction"])
        for message in _messages(sys.stdin.buffer):
            verdict = classify(message, direction)
            answer = {
                "category": verdict.category,
                "soft": verdict.soft,
                "rules": verdict.rules,
                "span": verdict.span,
            }
            self.stdout.write(json.dumps(answer))


def _messages(lines: BinaryIO) -> Iterator[str]:
    """One message a line. What is not a JSON string is the message itself, whatever bytes it is made of."""
    for line in lines:
        written = line.removesuffix(b"\n").removesuffix(b"\r").decode(errors="surrogateescape")
        yield _json_string(written) if written.startswith('"') else written


def _json_string(written: str) -> str:
    try:
        value = json.loads(written)
    except ValueError:
        return written
    return value if isinstance(value, str) else written
