"""
The scripted week: each day moves the house's clock, says its lines, waits until they are remembered, and looks whether
what the script expects is what the API tells.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import httpx2
import yaml

from ella.clock import move_clock
from ella.demonstration.client import ApiPerson, DemoFailed
from ella.demonstration.house import House

SCRIPT = Path(__file__).with_name("week.yaml")
# Long enough for a worker to be killed in the middle of it, short enough to wait for.
_SLOW_READING_S = 6.0


@dataclass
class Week:
    """One playing of the script. `tell` gets every line a person should see."""

    house: House
    tell: Callable[[str], None]
    script: dict[str, Any] = field(default_factory=lambda: yaml.safe_load(SCRIPT.read_text(encoding="utf-8")))
    counted: dict[str, int] = field(
        default_factory=lambda: dict.fromkeys(("messages", "remembered", "refused", "stopped", "recovered"), 0)
    )

    def play(self) -> dict[str, int]:
        """Raises DemoFailed, naming the step, when the house does not do what the script expects."""
        self._begin_at(self.script["days"][0])
        person = ApiPerson.register(self.house.url, **self.script["person"])
        for day in self.script["days"]:
            self._begin_at(day)
            now = datetime.now(UTC) + self._offset
            self.tell(f"\n── {now.astimezone(self._zone):%A %d %B, %H:%M} · {day['title']} " + "─" * 20)
            for number, line in enumerate(day["say"]):
                self._say(
                    person,
                    line,
                    client_id=f"day{day['day']}-{number}",
                    kill_worker=day.get("kill_worker_while") == line["text"],
                )
        return self.counted

    @property
    def _zone(self) -> ZoneInfo:
        return ZoneInfo(self.script["person"]["timezone"])

    def _begin_at(self, day: dict[str, Any]) -> None:
        """
        Put the house's clock to this day's hour: the first day is the coming Monday, so that the week has its
        weekdays.
        """
        today = datetime.now(self._zone)
        monday = today + timedelta(days=7 - today.weekday())
        hour, minute = map(int, day["at"].split(":"))
        wanted = (monday + timedelta(days=day["day"])).replace(hour=hour, minute=minute, second=0)
        self._offset = wanted.astimezone(UTC) - datetime.now(UTC)
        move_clock(self.house.folder / "clock", self._offset)

    def _say(self, person: ApiPerson, line: dict[str, Any], *, client_id: str, kill_worker: bool) -> None:
        if kill_worker:
            self._slow_down_the_next_reading(line["text"])
        said = person.say(line["text"], client_id)
        self.counted["messages"] += 1
        if said["disclosure"]:
            self.tell(f"   ({said['disclosure']['text']})")
        self.tell(f"Ines  {line['text']}\nElla  {said['reply']['text']}")
        if said["boundary"]["fired"]:
            self.counted["stopped"] += 1
            self.tell(f"      · stopped: {said['boundary']['category']}, answered from the table, no model asked")
        if kill_worker:
            self._kill_the_worker(person, said["turn"]["id"])
        person.wait_until_read(said["turn"]["id"])
        trace = person.trace(said["turn"]["id"])
        for row in self._read(trace):
            self.tell(row)
        for failed in unmet(line.get("expect", {}), said, trace):
            raise DemoFailed(f"“{line['text']}”: {failed}")

    def _read(self, trace: dict[str, Any]) -> Iterator[str]:
        for item in trace["read"]:
            if item["outcome"] == "refused":
                self.counted["refused"] += 1
                yield f"      · refused {item['kind']}: {item['reason']}"
            else:
                self.counted["remembered"] += 1
                yield f"      · remembered {item['kind']}: {_in_short(item['proposed'])}"

    def _slow_down_the_next_reading(self, text: str) -> None:
        # Twice: the attempt that is killed, and none after it.
        asked = {
            "fail": "slow_first_byte",
            "seconds": _SLOW_READING_S,
            "times": 1,
            "match": {"contains": "open_promises"},
        }
        httpx2.post(f"{self.house.model_url}/control/failures", json=asked, timeout=10).raise_for_status()

    def _kill_the_worker(self, person: ApiPerson, turn_id: str) -> None:
        """
        Wait until the worker has asked the model, end it with SIGKILL, start another: the row is still there to be
        read.
        """
        for _ in range(200):
            sent = httpx2.get(
                f"{self.house.model_url}/control/requests", params={"contains": "open_promises"}, timeout=10
            )
            if any(request["outcome"] == "open" for request in sent.json()["data"]):
                break
        self.house.kill("worker")
        self.tell("      · the worker was killed while it was remembering; another one starts")
        self.house.start("worker")
        if person.wait_until_read(turn_id) != "done":
            raise DemoFailed("the exchange was not read after its worker was killed")
        self.counted["recovered"] += 1


def unmet(expected: dict[str, Any], said: dict[str, Any], trace: dict[str, Any]) -> Iterator[str]:
    """What of a step's `expect` did not come true, in words."""
    for name, wanted in expected.items():
        if not _came_true(name, wanted, said, trace):
            told = f"she said {said['reply']['text']!r}; read: {trace['read']}"
            yield f"expected {name} = {wanted!r}; {told}"


def _came_true(name: str, wanted: str, said: dict[str, Any], trace: dict[str, Any]) -> bool:
    accepted = [item for item in trace["read"] if item["outcome"] != "refused"]
    match name:
        case "reply":
            return wanted.lower() in said["reply"]["text"].lower()
        case "fact" | "scene":
            return any(item["kind"] == name and wanted in str(item["proposed"]) for item in accepted)
        case "read":
            return any(item["kind"] == wanted for item in accepted)
        case "uses_facts" | "uses_scene" | "uses_promises":
            return any(wanted in item["text"] for item in trace[name.removeprefix("uses_")])
        case "answers_from":
            # The words that stand in the fact stand in the reply: the values differ from person to person.
            told = [
                item["text"].partition("«")[2].partition("»")[0] for item in trace["facts"] if wanted in item["text"]
            ]
            return any(value.lower() in said["reply"]["text"].lower() for value in told if value)
        case "boundary":
            return bool(said["boundary"]["category"] == wanted)
        case "no_model":
            return not trace["model_asked"]
        case _:
            raise DemoFailed(f"the script expects {name!r}, which the demo does not know")


def _in_short(proposed: dict[str, Any]) -> str:
    beside = {"evidence", "speaker", "basis", "about", "certainty"}
    shown = [str(value) for key, value in proposed.items() if value and key not in beside]
    return " · ".join(shown)
