"""`manage.py jobs`: what runs on a clock, told and run by hand."""

import json
from datetime import UTC, datetime
from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from ella.jobs import JOBS


def said(*words: str) -> str:
    out = StringIO()
    call_command("jobs", *words, stdout=out)
    return out.getvalue()


def test_every_job_of_the_clock_is_listed_with_what_it_is_for() -> None:
    lines = said().splitlines()
    assert [line.split()[0] for line in lines] == [job.name for job in JOBS]
    assert all(job.what in line for job, line in zip(JOBS, lines, strict=True))


def test_the_list_is_one_json_line_each() -> None:
    listed = [json.loads(line) for line in said("--json").splitlines()]
    assert listed == [{"name": job.name, "every_seconds": job.every.total_seconds(), "what": job.what} for job in JOBS]


@pytest.mark.django_db
@pytest.mark.parametrize("job", [job.name for job in JOBS])
def test_each_of_them_runs_by_hand_where_nothing_is_due(job: str) -> None:
    assert said("run", job) == f"{job}: 0 rows\n"


@pytest.mark.django_db
@pytest.mark.parametrize("words", [("--json", "run"), ("run", "--json")])
def test_a_moment_without_a_zone_is_utc(words: tuple[str, ...]) -> None:
    ran = json.loads(said(*words, JOBS[0].name, "--at", "2026-03-01T07:30:00"))
    assert ran == {"name": JOBS[0].name, "at": datetime(2026, 3, 1, 7, 30, tzinfo=UTC).isoformat(), "rows": 0}


@pytest.mark.parametrize("words", [("run", "nothing_of_ours"), ("run", JOBS[0].name, "--at", "soon")])
def test_an_unknown_job_or_moment_is_refused(words: tuple[str, ...]) -> None:
    with pytest.raises(CommandError):
        said(*words)
