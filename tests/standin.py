"""
The stand-in model server as tests use it: a process of its own on a free loopback port, told what to do over HTTP.

One for each test process is enough, reset before each test. The code under test must meet it only through its URL, as
it would meet the provider.
"""

import os
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any, Self

import httpx2

PROJECT = Path(__file__).parent.parent
_ADDRESS = re.compile(r"running on (http://127\.0\.0\.1:\d+)")
_START_TIMEOUT_S = 20.0


class StandIn:
    """`url` is where it answers once it is started; `api_key` is any text, since it knows no accounts."""

    api_key = "standin-key"

    def __init__(self) -> None:
        self.url = ""
        self._process: subprocess.Popen[bytes] | None = None
        self._log: Path | None = None
        self._http = httpx2.Client(timeout=30.0)

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def start(self) -> None:
        """Start it and wait until it answers; the port is the system's choice, so that test processes never collide."""
        command = [sys.executable, "-m", "uvicorn", "ella.offline.app:app", "--host", "127.0.0.1", "--port", "0"]
        options = ["--no-access-log", "--timeout-graceful-shutdown", "1"]
        environment = {name: value for name, value in os.environ.items() if not name.startswith("STANDIN_")}
        descriptor, name = tempfile.mkstemp(prefix="standin-", suffix=".log")
        self._log = Path(name)
        self._process = subprocess.Popen(
            [*command, *options],
            cwd=PROJECT,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=descriptor,
            stderr=descriptor,
        )
        os.close(descriptor)
        deadline = time.monotonic() + _START_TIMEOUT_S
        while time.monotonic() < deadline and self._process.poll() is None:
            found = _ADDRESS.search(self.output())
            if found:
                self.url = found[1]
                return
            time.sleep(0.02)
        output = self.output()
        self.stop()
        raise RuntimeError(f"the stand-in did not start:\n{output}")

    def stop(self) -> None:
        if self._process is not None and self._process.poll() is None:
            self._process.terminate()
            try:
                self._process.wait(5)
            except subprocess.TimeoutExpired:
                self._process.kill()
                self._process.wait()
        self._process = None
        if self._log is not None:
            self._log.unlink(missing_ok=True)
            self._log = None

    def output(self) -> str:
        """What it printed, to be read when something went wrong."""
        return "" if self._log is None else self._log.read_text(encoding="utf-8", errors="replace")

    @property
    def pid(self) -> int:
        if self._process is None:
            raise RuntimeError("the stand-in is not running")
        return self._process.pid

    def fail(self, failure: str, /, *, times: int = 1, match: dict[str, Any] | None = None, **params: Any) -> None:
        """Queue a failure for the next `times` requests that match, e.g. `fail("rate_limit", retry_after=3600)`."""
        self._control("POST", "failures", {"fail": failure, "times": times, "match": match, **params})

    def stop_failing(self) -> None:
        self._control("DELETE", "failures")

    def reply(
        self,
        text: str | None = None,
        *,
        json: Any = None,
        content: list[dict[str, Any]] | None = None,
        stop_reason: str | None = None,
        times: int = 1,
        match: dict[str, Any] | None = None,
    ) -> None:
        """Choose the reply to the next `times` requests that match: a text, a value sent as JSON, or whole blocks."""
        given = {"text": text, "json": json, "content": content, "stop_reason": stop_reason}
        chosen = {name: value for name, value in given.items() if value is not None}
        self._control("POST", "replies", {**chosen, "times": times, "match": match})

    def requests(
        self, *, contains: str | None = None, path: str | None = None, limit: int = 1000
    ) -> list[dict[str, Any]]:
        """What reached it, oldest first: method, path, headers, body, status, usage, stop_reason, outcome."""
        query = {"contains": contains, "path": path, "limit": limit}
        data: list[dict[str, Any]] = self._control("GET", "requests", query=query)["data"]
        return data

    def forget_requests(self) -> None:
        self._control("DELETE", "requests")

    def pace(self, **seconds: float) -> None:
        """Set `first_byte_s`, `token_s` and `batch_s` for everything that follows."""
        self._control("POST", "pace", seconds)

    def advance(self, seconds: float) -> None:
        """Push its clock forward: cache entries age, batches get on."""
        self._control("POST", "clock", {"advance_s": seconds})

    def reset(self) -> None:
        """Forget everything: failures, replies, requests, cache, batches, pace, clock."""
        self._control("POST", "reset")

    def _control(self, method: str, name: str, body: Any = None, query: dict[str, Any] | None = None) -> Any:
        params = {key: value for key, value in (query or {}).items() if value is not None}
        response = self._http.request(method, f"{self.url}/control/{name}", json=body, params=params)
        if response.status_code != 200:
            raise AssertionError(f"the stand-in refused {method} {name}: {response.text}")
        return response.json()
