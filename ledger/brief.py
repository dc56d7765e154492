"""
Facts as lines of a prompt: the highest authority first, as many as the budget holds, each saying how it is known and
what about it may have moved. Pure: it reads no database, and shows a fact's words only fenced.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from uuid import UUID

from ledger.days import age, ago, day_label
from ledger.fencing import fence
from ledger.models import OBJECT_MAX_CHARS, Fact, FactStatus, Tier
from ledger.registry import Volatility, registry
from ledger.subjects import lies_under

_WORDS_SHOWN = 120


@dataclass(frozen=True, slots=True)
class BriefLine:
    """One line, without its newline. A derived line (an age) carries the id of the fact it is reckoned from."""

    text: str
    fact_id: UUID
    tier: Tier


def brief(facts: Iterable[Fact], *, now: datetime, budget_chars: int, prefix: str = "") -> list[BriefLine]:
    """
    The lines of `facts` that fit into `budget_chars` characters, newlines counted, in order: canon to inferred, the
    surer first within a tier, then the newer.

    `now` must be aware and on the person's clock: dates and ages are told on it. `prefix` keeps the facts under one
    subject. A line that does not fit is skipped, and shorter ones still get their chance. A momentary fact whose time
    is over has no line.
    """
    wanted = [fact for fact in facts if lies_under(fact.subject, prefix) and not _is_over(fact, now)]
    reckoned = {(fact.subject, registry().predicate(fact.predicate).derived) for fact in wanted if _born(fact)}
    lines: list[BriefLine] = []
    room = budget_chars
    for fact in sorted(wanted, key=_rank):
        if (fact.subject, fact.predicate) in reckoned:
            continue
        for line in _lines(fact, now):
            if len(line.text) + 1 <= room:
                lines.append(line)
                room -= len(line.text) + 1
    return lines


def _rank(fact: Fact) -> tuple[int, float, float, str, str]:
    return Tier(fact.tier).rank, -fact.confidence, -fact.created_at.timestamp(), fact.subject, str(fact.pk)


def _lines(fact: Fact, now: datetime) -> Iterator[BriefLine]:
    tier = Tier(fact.tier)
    extras = "".join(f" ({extra})" for extra in _extras(fact, now))
    yield BriefLine(_statement(fact, fact.predicate, fact.object) + extras, fact.pk, tier)
    born = _born(fact)
    if born and (years := age(born, now.date())):
        yield BriefLine(_statement(fact, registry().predicate(fact.predicate).derived, years), fact.pk, tier)


def _statement(fact: Fact, predicate: str, value: str) -> str:
    return f"- [{fact.tier}] {fact.subject} · {predicate} = «{fence(value, OBJECT_MAX_CHARS)}»"


def _extras(fact: Fact, now: datetime) -> Iterator[str]:
    if fact.status == FactStatus.CONTESTED:
        yield "disputed"
    if fact.true_from:
        yield f"since {fact.true_from.astimezone(now.tzinfo):%Y-%m-%d}"
    if fact.event_at:
        yield from _event(fact.event_at.astimezone(now.tzinfo), fact.event_until, now)
    elif _may_have_moved(fact, now):
        yield f"told {ago(fact.confirmed_at, now)}"
    if fact.event_words:
        yield f"in words «{fence(fact.event_words, _WORDS_SHOWN)}»"


def _event(begins: datetime, until: datetime | None, now: datetime) -> Iterator[str]:
    """
    The absolute day on the person's clock, and the time of day unless it is midnight, which stands for the day as a
    whole. The end is not part of the event: until midnight is until the day before.
    """
    ends = max(begins, until.astimezone(now.tzinfo) - timedelta(microseconds=1)) if until else begins
    last = f" to {day_label(ends.date())}" if ends.date() != begins.date() else ""
    yield f"on {day_label(begins.date())}{last}"
    if begins.time() != time():
        yield f"at {begins:%H:%M}"


def _may_have_moved(fact: Fact, now: datetime) -> bool:
    """
    Whether so much time has passed since it was last said that the line should tell it. What is anchored moves only by
    a new anchor.
    """
    volatility = registry().predicate(fact.predicate).volatility
    if fact.tier == Tier.CANON or volatility is Volatility.FIXED:
        return False
    return now - fact.confirmed_at >= registry().age_shown_after[volatility]


def _is_over(fact: Fact, now: datetime) -> bool:
    lasts = registry().predicate(fact.predicate).lasts
    if lasts is None:
        return False
    return now >= (fact.event_until or max(fact.confirmed_at, fact.event_at or fact.confirmed_at) + lasts)


def _born(fact: Fact) -> date | None:
    """The day a derived age is reckoned from, where the fact holds one."""
    if registry().predicate(fact.predicate).derived != "age":
        return None
    try:
        return date.fromisoformat(fact.object)
    except ValueError:
        return None
