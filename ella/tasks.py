"""Celery's way in to the jobs of the clock."""

from __future__ import annotations

import structlog
from celery import current_app, shared_task

from ella.clock import utc_now
from ella.jobs import BY_NAME, JOBS

log = structlog.get_logger(__name__)


@shared_task(name="ella.tasks.run_job")
def run_job(name: str) -> None:
    done = BY_NAME[name].run(utc_now())
    if done:
        log.info("job_ran", job=name, rows=done)


# An entry that could not run before the next one is due is dropped: the next one does its work.
current_app.conf.beat_schedule = {
    job.name: {
        "task": run_job.name,
        "schedule": job.every,
        "args": [job.name],
        "options": {"expires": max(job.every.total_seconds() - 1, 1)},
    }
    for job in JOBS
}
