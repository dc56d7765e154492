"""A whole house in processes of its own, for what only processes can show: two at once, and one that dies."""

from __future__ import annotations

import os
import uuid
from collections.abc import Iterator

import psycopg
import pytest

from ella.demonstration.house import House


@pytest.fixture(scope="module")
def house() -> Iterator[House]:
    """On what this run is on: SQLite and a folder, or a PostgreSQL database of its own and Redis."""
    server = os.environ.get("DATABASE_URL", "")
    # Short leases, so that a dead process is noticed while the test waits.
    settings = {"REMEMBER_LEASE_S": "3", "TURN_LEASE_S": "3", "THROTTLE_MESSAGES": "9000/min"}
    settings["REDIS_URL"] = os.environ.get("REDIS_URL", "")
    if not server.startswith("postgres"):
        with House(environment=settings) as house:
            yield house
        return
    name = f"house_{uuid.uuid4().hex[:12]}"
    with psycopg.connect(server, autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name}")
    try:
        with House(environment={**settings, "DATABASE_URL": server.rsplit("/", 1)[0] + f"/{name}"}) as house:
            yield house
    finally:
        with psycopg.connect(server, autocommit=True) as connection:
            connection.execute(f"DROP DATABASE {name} WITH (FORCE)")
