"""`manage.py classify`: a message a line in, a JSON line out."""

import io
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

MANAGE = Path(__file__).resolve().parents[2] / "manage.py"


def classified(lines: bytes, monkeypatch: pytest.MonkeyPatch, *arguments: str) -> list[dict[str, Any]]:
    out = io.StringIO()
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(lines)))
    call_command("classify", *arguments, stdout=out)
    return [json.loads(line) for line in out.getvalue().splitlines()]


def test_each_line_is_answered_with_category_softness_rules_and_span(monkeypatch: pytest.MonkeyPatch) -> None:
    plain, crisis = classified(b"hello there\nI want to die\n", monkeypatch)
    assert plain == {"category": "ok", "soft": False, "rules": [], "span": None}
    assert crisis == {
        "category": "emotional_crisis",
        "soft": False,
        "rules": ["crisis.want_to_die"],
        "span": [0, 13],
    }


def test_json_strings_and_plain_text_may_be_mixed(monkeypatch: pytest.MonkeyPatch) -> None:
    lines = (
        b'"I want\\nto die"\nI want to die\n"not json\n"\\ud800 I want to die \\u0000"\n\n\xff\xfe I want to die\r\n'
    )
    found = [answer["category"] for answer in classified(lines, monkeypatch)]
    assert found == ["emotional_crisis", "emotional_crisis", "ok", "emotional_crisis", "ok", "emotional_crisis"]


def test_the_direction_is_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    (inbound,) = classified(b"I'm a real human being\n", monkeypatch)
    (outbound,) = classified(b"I'm a real human being\n", monkeypatch, "--direction", "outbound", "--json")
    assert (inbound["category"], outbound["category"]) == ("ok", "manipulation")


def test_an_unknown_direction_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(CommandError, match="sideways"):
        classified(b"hello\n", monkeypatch, "--direction", "sideways")


def test_a_hundred_thousand_lines_go_through_one_process() -> None:
    lines = b"the ferry was late again, so I read\n" * 99_999 + b"I want to die\n"
    done = subprocess.run(
        [sys.executable, MANAGE, "classify"], input=lines, capture_output=True, timeout=120, check=True
    )
    answers = done.stdout.splitlines()
    assert len(answers) == 100_000
    assert json.loads(answers[-1])["category"] == "emotional_crisis"
