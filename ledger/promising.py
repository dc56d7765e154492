"""
Reading promises: which open one somebody's words mean, and how they are shown in a prompt. It writes nothing; a promise
that could be one of two is neither.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date
from uuid import UUID

from ledger.days import day_label
from ledger.fencing import fence
from ledger.models import Promise, PromiseStatus
from ledger.naming import folded, shown_name

# Words told apart from each other by what they are about, not by these.
_SMALL_WORDS = frozenset(
    re.findall(
        r"\w+",
        """a an the and or to of in on at for with from by into my your his her their our me you him them us it i we she
        he they will would shall can could be is are do does that this some about again then so just""",
    )
)
_ENDINGS = ("ing", "ed", "es", "s")
_LABEL = re.compile(r"\[?p(\d{1,6})\]?\Z", re.IGNORECASE)

# Half of the shorter wording found in the other is the least that means the same promise; the best must lead by a
# quarter to be sure.
_ENOUGH = 0.5
_CLEARLY = 0.25
# The same promise made twice is told more strictly: most of both wordings in common.
_SAME = 0.6


@dataclass(frozen=True, slots=True)
class PromiseLine:
    """One line, without its newline; `mark` is empty for a promise without a day."""

    text: str
    promise_id: UUID
    mark: str


def promise_lines(promises: Iterable[Promise], today: date) -> list[PromiseLine]:
    """
    A line for each promise, in the order given: `- [p4] Mara → Tom: «bring the map» · due 2026-12-08 Tue · settle
    today`.

    `today` is the day on the person's calendar. A promise whose day nobody could tell shows its words for the time
    instead.
    """
    return [_line(promise, promise.mark(today)) for promise in promises]


def match_open(promises: Iterable[Promise], *, from_who: str, what: str) -> Promise | None:
    """
    The one open promise that `what` means: by its label (`p4`), or by the words it shares. None when none does, or more
    than one could.

    `from_who` keeps to the promises of one giver; empty, anybody's.
    """
    theirs = [promise for promise in promises if promise.status == PromiseStatus.OPEN]
    if from_who:
        theirs = [promise for promise in theirs if folded(promise.from_who) == folded(from_who)]
    label = _LABEL.match(what.strip())
    if label:
        return next((promise for promise in theirs if promise.number == int(label.group(1))), None)
    scored = sorted(((_overlap(promise.what, what), promise) for promise in theirs), key=lambda pair: -pair[0])
    if not scored or scored[0][0] < _ENOUGH:
        return None
    if len(scored) > 1 and scored[0][0] - scored[1][0] < _CLEARLY:
        return None
    return scored[0][1]


def says_the_same(what: str, other: str) -> bool:
    """Whether two wordings are one promise said twice."""
    ours, theirs = _words(what), _words(other)
    shared = len(ours & theirs)
    return folded(what) == folded(other) or (shared > 0 and shared / len(ours | theirs) >= _SAME)


def _line(promise: Promise, mark: str) -> PromiseLine:
    parts = [
        f"- [{promise.label}] {shown_name(promise.from_who)} → {shown_name(promise.to_who)}: «{fence(promise.what)}»"
    ]
    if promise.due_day:
        parts.append(f"due {day_label(promise.due_day)}")
    elif promise.due_words:
        parts.append(f"when: «{fence(promise.due_words)}»")
    if mark:
        parts.append(mark)
    return PromiseLine(" · ".join(parts), promise.pk, mark)


def _words(text: str) -> frozenset[str]:
    words = re.findall(r"\w+", folded(text))
    telling = [word for word in words if word not in _SMALL_WORDS] or words
    return frozenset(_stem(word) for word in telling)


def _stem(word: str) -> str:
    for ending in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            return word[: -len(ending)]
    return word


def _overlap(what: str, other: str) -> float:
    """The share of the shorter wording that the other has too."""
    ours, theirs = _words(what), _words(other)
    return len(ours & theirs) / min(len(ours), len(theirs)) if ours and theirs else 0.0
