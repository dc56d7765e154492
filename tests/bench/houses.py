"""A house to measure in: throttles and budgets out of the way, on SQLite or in a PostgreSQL database of its own."""

from __future__ import annotations

import contextlib
import json
import os
import tempfile
import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit, urlunsplit

import psycopg
from psycopg import sql

from tests.house import House

_UNLIMITED = {
    "BUDGET_PER_PERSON": "10000",
    "BUDGET_LIVE_REPLY": "10000",
    "BUDGET_MEMORY_EXTRACT": "10000",
    "LOG_LEVEL": "WARNING",
}


def databases() -> Iterator[tuple[str, str]]:
    """Each database to measure on, as (name, URL); gone when the iteration goes on."""
    with tempfile.TemporaryDirectory(prefix="bench-") as folder:
        yield "sqlite", f"sqlite:///{Path(folder) / 'bench.sqlite3'}"
    if server := os.environ.get("TEST_DATABASE_URL"):
        with _database_on(server) as url:
            yield "postgresql", url


@contextlib.contextmanager
def _database_on(server: str) -> Iterator[str]:
    name = f"ella_bench_{uuid.uuid4().hex[:8]}"
    parts = urlsplit(server)
    with psycopg.connect(urlunsplit(parts._replace(path="/postgres")), autocommit=True) as connection:
        connection.execute(sql.SQL("CREATE DATABASE {}").format(sql.Identifier(name)))
        try:
            yield urlunsplit(parts._replace(path=f"/{name}"))
        finally:
            connection.execute(sql.SQL("DROP DATABASE {} WITH (FORCE)").format(sql.Identifier(name)))


def bench_house(database_url: str, **options: Any) -> House:
    return House(database_url=database_url, env=_UNLIMITED, **options)


def inside(house: House, call: str, *arguments: Any) -> Any:
    """Run one function of inside.py within this house and return what it told."""
    words = ", ".join(repr(argument) for argument in arguments)
    command = f"from tests.bench import inside; inside.{call}({words})"
    return json.loads(house.manage("shell", "--no-imports", "--command", command).splitlines()[-1])


def report(name: str, value: float, unit: str, baseline: float | None = None) -> None:
    """One JSON line; `ratio` is how many times the baseline the value is."""
    ratio = round(value / baseline, 2) if baseline else None
    rounded = [number if number is None else round(number, 2) for number in (value, baseline)]
    line = {"name": name, "value": rounded[0], "unit": unit, "baseline": rounded[1], "ratio": ratio}
    print(json.dumps(line), flush=True)
