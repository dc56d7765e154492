"""
The statements that a piece of code sends to the database, recorded with their transactions, and sent again over a
connection that has no Django in it: the measure beside which the house's own time is told.
"""

from __future__ import annotations

import contextlib
import sqlite3
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any

import psycopg
from django.conf import settings
from django.db import connection


@dataclass(frozen=True)
class Statement:
    sql: str
    params: Any = None
    in_transaction: bool = False


COMMIT = Statement("COMMIT")


@contextlib.contextmanager
def record() -> Iterator[list[Statement]]:
    """What this thread's connection is asked until the block is left, in order."""
    statements: list[Statement] = []
    commit = connection._commit

    def note(execute: Callable[..., Any], sql: str, params: Any, many: bool, context: dict[str, Any]) -> Any:
        if not sql.startswith(("BEGIN", "SAVEPOINT", "RELEASE", "ROLLBACK")):
            statements.append(Statement(sql, params, connection.in_atomic_block))
        return execute(sql, params, many, context)

    def note_commit() -> None:
        statements.append(COMMIT)
        commit()

    with connection.execute_wrapper(note):
        connection._commit = note_commit
        try:
            yield statements
        finally:
            connection._commit = commit


def replay(statements: list[Statement]) -> None:
    raw, begin, place = _bare()
    open_now = False
    for statement in statements:
        if statement is COMMIT:
            raw.execute("COMMIT")
            open_now = False
            continue
        if statement.in_transaction and not open_now:
            raw.execute(begin)
            open_now = True
        found = raw.execute(place(statement.sql), statement.params or ())
        if found.description is not None:
            found.fetchall()


@cache
def _bare() -> tuple[Any, str, Callable[[str], str]]:
    """A bare connection, how a transaction begins on it, and how it writes placeholders."""
    options = settings.DATABASES["default"]
    if connection.vendor == "sqlite":
        raw = sqlite3.connect(options["NAME"], isolation_level=None, timeout=20)
        for pragma in options["OPTIONS"]["init_command"].split(";"):
            raw.execute(pragma)
        return raw, "BEGIN IMMEDIATE", lambda sql: sql.replace("%s", "?").replace("%%", "%")
    bare = psycopg.connect(
        host=options["HOST"],
        port=options["PORT"],
        user=options["USER"],
        password=options["PASSWORD"],
        dbname=options["NAME"],
        autocommit=True,
        cursor_factory=psycopg.ClientCursor,  # as Django does: values are put into the statement on this side
    )
    return bare, "BEGIN", lambda sql: sql
