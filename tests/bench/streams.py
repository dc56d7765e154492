"""
Many people at once: 500 open streaming turns on one web process while the model speaks for three seconds. Every one of
them has to end well; told are the whole turn, what the server added to it, and the memory of the web process.
"""

from __future__ import annotations

import asyncio
import json
import sys
import time
from dataclasses import dataclass
from statistics import quantiles
from typing import Any

import httpx2
import psutil

from tests.bench.houses import bench_house, inside, report

AT_ONCE = 500
# Three seconds of model: one until its first byte, two of speaking.
FIRST_BYTE_S = 1.0
TOKEN_S = 0.05
REPLY = "The tide came in slowly today. I counted the boats. " * 4
DELTAS = 40
LIMIT_S = 120.0
LOOK_EVERY_S = 0.2


@dataclass
class Heard:
    turn: str
    seconds: float
    first_event_s: float
    ending: str


def measure(database: str, url: str) -> None:
    with bench_house(url, first_byte_s=FIRST_BYTE_S, token_s=TOKEN_S) as house:
        house.standin.reply(REPLY.strip(), times=AT_ONCE)
        people = inside(house, "people", AT_ONCE)
        web = psutil.Process(house.process("web").pid)
        idle = web.memory_info().rss
        heard, most = asyncio.run(_all_at_once(house.url, people, web))
        answered = [each for each in heard if isinstance(each, Heard) and each.ending == "done"]
        for each in [each for each in heard if each not in answered][:5]:
            print(f"not answered: {each!r}", file=sys.stderr)
        name = f"streams_{AT_ONCE}_{database}"
        report(f"{name}_errors", len(heard) - len(answered), "turns", None)
        if len(answered) > 1:
            model = inside(house, "model_seconds", [each.turn for each in answered])
            whole = [each.seconds for each in answered]
            added = [each.seconds - seconds for each, seconds in zip(answered, model, strict=True)]
            report(f"{name}_whole_p50", _percentile(whole, 50), "s", _percentile(model, 50))
            report(f"{name}_whole_p95", _percentile(whole, 95), "s", _percentile(model, 95))
            report(f"{name}_added_p95", _percentile(added, 95), "s")
        report(f"{name}_web_rss", most / 1e6, "MB", idle / 1e6)


async def _all_at_once(
    url: str, people: list[dict[str, str]], web: psutil.Process
) -> tuple[list[Heard | BaseException], int]:
    limits = httpx2.Limits(max_connections=None)
    async with httpx2.AsyncClient(base_url=url, limits=limits, timeout=LIMIT_S) as client:
        watching = asyncio.create_task(_most_memory(web))
        heard = await asyncio.gather(*(_talk(client, person) for person in people), return_exceptions=True)
        watching.cancel()
        return heard, max(await watching)


async def _talk(client: httpx2.AsyncClient, person: dict[str, str]) -> Heard:
    headers = {"Authorization": f"Token {person['token']}", "Accept": "text/event-stream"}
    body = {"text": "How was the sea today?", "client_id": "stream"}
    began = time.perf_counter()
    first, turn, ending, name = 0.0, "", "", ""
    path = f"/api/v1/conversations/{person['conversation']}/messages"
    async with client.stream("POST", path, json=body, headers=headers) as answer:
        answer.raise_for_status()
        async for line in answer.aiter_lines():
            first = first or time.perf_counter() - began
            if line.startswith("event: "):
                name = line.removeprefix("event: ")
            elif line.startswith("data: ") and name in ("turn", "done", "error"):
                data: dict[str, Any] = json.loads(line.removeprefix("data: "))
                turn, ending = data["turn"]["id"], name
    return Heard(turn, time.perf_counter() - began, first, ending)


async def _most_memory(web: psutil.Process) -> list[int]:
    """Resident bytes, looked at until cancelled."""
    seen = [web.memory_info().rss]
    try:
        while True:
            await asyncio.sleep(LOOK_EVERY_S)
            seen.append(web.memory_info().rss)
    except asyncio.CancelledError:
        return seen


def _percentile(values: list[float], percent: int) -> float:
    return quantiles(values, n=100)[percent - 1]
