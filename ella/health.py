"""
Is this process alive, and can it do its work? For load balancers and supervisors: public, cheap, silent about details.

`live` touches nothing. `ready` asks the database, whether its tables are as new as this code, and the job broker.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from threading import Event

from celery import current_app
from django.db import DEFAULT_DB_ALIAS, connections
from django.db.migrations.executor import MigrationExecutor
from django.http import HttpRequest, JsonResponse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

log = logging.getLogger(__name__)

BROKER_TIMEOUT_S = 2

_all_applied = Event()


@never_cache
@require_safe
def live(request: HttpRequest) -> JsonResponse:
    return JsonResponse({"status": "ok"})


@never_cache
@require_safe
def ready(request: HttpRequest) -> JsonResponse:
    """200 when every part works; 503, and which part does not, otherwise."""
    parts = {name: _look(name, look) for name, look in _PARTS.items()}
    works = all(state == "ok" for state in parts.values())
    return JsonResponse({"status": "ok" if works else "unavailable", **parts}, status=200 if works else 503)


def _look(name: str, look: Callable[[], str]) -> str:
    try:
        return look()
    except Exception as exc:  # whatever a driver throws, this part does not work
        log.warning("Not ready: %s (%s)", name, exc)
        return "unreachable"


def _database() -> str:
    with connections[DEFAULT_DB_ALIAS].cursor() as cursor:
        cursor.execute("SELECT 1")
    return "ok"


def _migrations() -> str:
    # Once applied they stay applied for as long as this code runs, and finding out reads every migration file.
    if not _all_applied.is_set():
        executor = MigrationExecutor(connections[DEFAULT_DB_ALIAS])
        if executor.migration_plan(executor.loader.graph.leaf_nodes()):
            return "unapplied"
        _all_applied.set()
    return "ok"


def _broker() -> str:
    with current_app.connection_for_write(connect_timeout=BROKER_TIMEOUT_S) as connection:
        connection.ensure_connection(max_retries=1, interval_start=0, timeout=BROKER_TIMEOUT_S)
    return "ok"


_PARTS: dict[str, Callable[[], str]] = {"database": _database, "migrations": _migrations, "broker": _broker}
