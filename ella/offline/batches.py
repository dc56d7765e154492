"""
Batches of messages: taken at once, worked on for a while, ended once, their results in no particular order.

Work happens when somebody looks and the time has come, so that a test's clock decides and no task runs behind
anyone's back. Items are validated only then, as the provider does: a wrong item is an errored result, never a
refused batch.
"""

import asyncio
import json
import random
import re
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from ella.offline.clock import Clock, rfc3339
from ella.offline.errors import ErrorType, ProviderError, error_body, new_id, refuse
from ella.offline.failures import Failure, FailureName
from ella.offline.fields import must_be, must_have_only

MAX_ITEMS = 100_000
LIFE_S = 24 * 3600
RESULTS_KEPT_S = 29 * 24 * 3600
# So many items are answered before other requests get their turn.
_SLICE = 20
_CUSTOM_ID = re.compile(r"[A-Za-z0-9_-]{1,64}")


@dataclass(slots=True)
class Item:
    """One request of a batch and, later, its result."""

    custom_id: str
    params: Any
    failure: Failure | None = None
    result: dict[str, Any] | None = None


@dataclass(slots=True)
class Batch:
    id: str
    credential: str
    created_at: float
    ready_at: float
    items: list[Item]
    cancel_initiated_at: float | None = None
    ended_at: float | None = None
    lock: asyncio.Lock = field(default_factory=asyncio.Lock)

    @property
    def expires_at(self) -> float:
        return self.created_at + LIFE_S

    def counts(self) -> dict[str, int]:
        counts = dict.fromkeys(("processing", "succeeded", "errored", "canceled", "expired"), 0)
        if self.ended_at is None:
            return counts | {"processing": len(self.items)}
        for item in self.items:
            if item.result is not None:
                counts[item.result["type"]] += 1
        return counts


class Answers(Protocol):
    """Who answers an item: raises ProviderError for one that is not valid, returns the finished message otherwise."""

    def __call__(self, params: Any, *, credential: str, failure: Failure | None, custom_id: str) -> dict[str, Any]: ...


class BatchBook:
    """Every batch, oldest first."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._batches: dict[str, Batch] = {}

    def clear(self) -> None:
        self._batches.clear()

    def open(self, items: list[Item], *, credential: str, work_s: float) -> Batch:
        now = self._clock.now()
        batch = Batch(new_id("msgbatch"), credential, now, now + work_s, items)
        self._batches[batch.id] = batch
        return batch

    def get(self, batch_id: str, *, credential: str) -> Batch:
        batch = self._batches.get(batch_id)
        if batch is None or batch.credential != credential:
            raise ProviderError(ErrorType.NOT_FOUND, f"No message batch found with id {batch_id}")
        return batch

    def newest_first(self, *, credential: str) -> list[Batch]:
        return [batch for batch in reversed(self._batches.values()) if batch.credential == credential]

    def cancel(self, batch: Batch) -> None:
        if batch.ended_at is not None:
            refuse(f"Batch {batch.id} cannot be canceled because it has already ended")
        if batch.cancel_initiated_at is None:
            batch.cancel_initiated_at = self._clock.now()

    def delete(self, batch: Batch) -> None:
        if batch.ended_at is None:
            refuse(f"Batch {batch.id} cannot be deleted while it is still in progress; cancel it first")
        del self._batches[batch.id]

    async def bring_up_to_date(self, batch: Batch, answers: Answers) -> None:
        """Do the work that is due by now, once, however many look at the same time."""
        async with batch.lock:
            now = self._clock.now()
            if batch.ended_at is not None:
                return
            if batch.cancel_initiated_at is not None:
                self._end(batch, batch.cancel_initiated_at, "canceled")
            elif now >= batch.ready_at and batch.ready_at <= batch.expires_at:
                await self._work(batch, answers)
                self._end(batch, batch.ready_at, "expired")
            elif now >= batch.expires_at:
                self._end(batch, batch.expires_at, "expired")

    async def _work(self, batch: Batch, answers: Answers) -> None:
        for index, item in enumerate(batch.items):
            if item.result is None:
                item.result = _result(batch, item, answers)
            if index % _SLICE == _SLICE - 1:
                await asyncio.sleep(0)

    def _end(self, batch: Batch, ended_at: float, otherwise: str) -> None:
        for item in batch.items:
            if item.result is None:
                item.result = {"type": otherwise}
        batch.ended_at = ended_at

    def as_json(self, batch: Batch, base_url: str) -> dict[str, Any]:
        archived_at = batch.created_at + RESULTS_KEPT_S
        archived = self._clock.now() >= archived_at
        has_results = batch.ended_at is not None and not archived
        return {
            "id": batch.id,
            "type": "message_batch",
            "processing_status": _status(batch),
            "request_counts": batch.counts(),
            "created_at": rfc3339(batch.created_at),
            "expires_at": rfc3339(batch.expires_at),
            "ended_at": rfc3339(batch.ended_at) if batch.ended_at is not None else None,
            "cancel_initiated_at": rfc3339(batch.cancel_initiated_at)
            if batch.cancel_initiated_at is not None
            else None,
            "archived_at": rfc3339(archived_at) if archived else None,
            "results_url": f"{base_url}/v1/messages/batches/{batch.id}/results" if has_results else None,
        }

    def results(self, batch: Batch) -> AsyncIterator[bytes]:
        """
        The results as JSON lines, shuffled: the order of a batch means nothing, and nobody should come to rely on it.
        """
        if batch.ended_at is None:
            raise ProviderError(ErrorType.NOT_FOUND, f"Batch {batch.id} has no results yet")
        if self._clock.now() >= batch.created_at + RESULTS_KEPT_S:
            raise ProviderError(ErrorType.NOT_FOUND, f"The results of batch {batch.id} are no longer kept")
        items = list(batch.items)
        random.Random(batch.id).shuffle(items)
        return _lines(items)


def read_items(body: Any) -> list[Item]:
    """The items of a create request; refuse a list the provider would not take."""
    must_have_only("", body, required=("requests",))
    requests = body["requests"]
    must_be("requests", requests, list)
    if not requests:
        refuse("requests: List should have at least 1 item")
    if len(requests) > MAX_ITEMS:
        refuse(f"requests: List should have at most {MAX_ITEMS} items")
    seen: set[str] = set()
    for index, entry in enumerate(requests):
        path = f"requests.{index}"
        must_have_only(path, entry, required=("custom_id", "params"))
        custom_id = entry["custom_id"]
        if not isinstance(custom_id, str) or not _CUSTOM_ID.fullmatch(custom_id):
            refuse(f"{path}.custom_id: String should match pattern '^[a-zA-Z0-9_-]{{1,64}}$'")
        if custom_id in seen:
            refuse(f"{path}.custom_id: custom_id must be unique within a batch: {custom_id}")
        seen.add(custom_id)
        must_be(f"{path}.params", entry["params"], dict)
    return [Item(entry["custom_id"], entry["params"]) for entry in requests]


async def _lines(items: Sequence[Item]) -> AsyncIterator[bytes]:
    for item in items:
        yield json.dumps({"custom_id": item.custom_id, "result": item.result}).encode() + b"\n"


def _status(batch: Batch) -> str:
    if batch.ended_at is not None:
        return "ended"
    return "in_progress" if batch.cancel_initiated_at is None else "canceling"


def _result(batch: Batch, item: Item, answers: Answers) -> dict[str, Any]:
    failure = item.failure
    if failure is not None and failure.name is FailureName.BATCH_ITEM_EXPIRED:
        return {"type": "expired"}
    if failure is not None and failure.name is FailureName.BATCH_ITEM_CANCELED:
        return {"type": "canceled"}
    if failure is not None and failure.name is FailureName.BATCH_ITEM_ERRORED:
        error_type = ErrorType(failure.text("error", ErrorType.API))
        return _errored(ProviderError(error_type, failure.text("message", "Internal server error")))
    try:
        message = answers(item.params, credential=batch.credential, failure=failure, custom_id=item.custom_id)
    except ProviderError as error:
        return _errored(error)
    return {"type": "succeeded", "message": message}


def _errored(error: ProviderError) -> dict[str, Any]:
    return {"type": "errored", "error": error_body(error.error_type, error.message, new_id("req"))}
