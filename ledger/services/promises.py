"""
Everything that can happen to a promise: it is made, said again, kept, broken, withdrawn, or changed into another. The
day it is due is the server's; nobody else reckons with it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, datetime
from enum import StrEnum
from uuid import UUID

from django.db import transaction
from django.db.models import Max
from django.utils.timezone import is_naive, now

from ledger.drafts import kept_words
from ledger.fencing import one_line
from ledger.models import Promise, PromiseEvent, PromiseStatus
from ledger.models.grammar import REASON_MAX_CHARS
from ledger.models.promises import NAME_MAX_CHARS, WHAT_MAX_CHARS
from ledger.naming import folded
from ledger.ownership import HOME_SCOPE, LockedOwner, Owner, lock_owner
from ledger.promising import says_the_same
from ledger.refusals import InvalidPromise, Reason

_WORDS_MAX_CHARS = 120
_SETTLED = {
    PromiseStatus.KEPT: PromiseEvent.Kind.KEPT,
    PromiseStatus.BROKEN: PromiseEvent.Kind.BROKEN,
    PromiseStatus.WITHDRAWN: PromiseEvent.Kind.WITHDRAWN,
}


class PromiseOutcomeKind(StrEnum):
    NEW = "new"
    CORROBORATED = "corroborated"


@dataclass(frozen=True, slots=True)
class PromiseOutcome:
    promise: Promise
    kind: PromiseOutcomeKind


@dataclass(frozen=True, slots=True)
class _Undertaking:
    """What is promised, checked and safe to store."""

    from_who: str
    to_who: str
    what: str
    due_day: date | None
    due_at: datetime | None
    due_words: str

    @classmethod
    def checked(
        cls,
        owner: LockedOwner,
        from_who: str,
        to_who: str,
        what: str,
        due_day: date | None,
        due_at: datetime | None,
        due_words: str,
    ) -> _Undertaking:
        if due_at is not None and is_naive(due_at):
            raise InvalidPromise(Reason.NAIVE_TIME, "due_at")
        day = due_at.astimezone(owner.zone).date() if due_at else due_day
        giver = _stated(from_who, "from_who", NAME_MAX_CHARS)
        receiver = _stated(to_who, "to_who", NAME_MAX_CHARS)
        words = one_line(due_words)[:_WORDS_MAX_CHARS]
        return cls(giver, receiver, _stated(what, "what", WHAT_MAX_CHARS), day, due_at, words)

    def is_made_by(self, promise: Promise) -> bool:
        """The same giver, the same thing in like words, and no other day."""
        return (
            folded(promise.from_who) == folded(self.from_who)
            and (self.due_day is None or promise.due_day == self.due_day)
            and says_the_same(promise.what, self.what)
        )


@transaction.atomic
def make_promise(
    *,
    actor: str,
    owner: Owner,
    scope: str = HOME_SCOPE,
    from_who: str,
    to_who: str,
    what: str,
    due_day: date | None = None,
    due_at: datetime | None = None,
    due_words: str = "",
    source_message_id: UUID | None = None,
    evidence: str = "",
) -> PromiseOutcome:
    """
    Open a promise, or note that an open one was said again (same giver, like words, no other day).

    `due_at` (aware) settles the day on the person's clock; `due_day` is that day where no time was said. Raises
    `InvalidPromise`.
    """
    locked = lock_owner(owner)
    asked = _Undertaking.checked(locked, from_who, to_who, what, due_day, due_at, due_words)
    again = next(
        (promise for promise in Promise.objects.for_owner(locked.key, scope).open() if asked.is_made_by(promise)), None
    )
    if again is None:
        promise = _open(actor, locked, scope, asked, source_message_id, evidence)
        return PromiseOutcome(promise, PromiseOutcomeKind.NEW)
    said = {"what": asked.what, "evidence": kept_words(evidence)}
    _tell(again, PromiseEvent.Kind.CORROBORATED, PromiseStatus.OPEN, actor, message_id=source_message_id, detail=said)
    return PromiseOutcome(again, PromiseOutcomeKind.CORROBORATED)


@transaction.atomic
def settle_promise(
    *,
    actor: str,
    promise: Promise,
    status: PromiseStatus,
    reason: str = "",
    source_message_id: UUID | None = None,
    evidence: str = "",
) -> Promise:
    """
    Close an open promise as kept, broken or withdrawn.

    Raises `InvalidPromise`: `unknown_status` for any other end, `not_standing` when it was closed already.
    """
    kind = _SETTLED.get(status)
    if kind is None:
        raise InvalidPromise(Reason.UNKNOWN_STATUS, "status")
    lock_owner(promise.owner_id)
    closed = _closed(promise, status)
    said = {"evidence": kept_words(evidence)} if evidence else {}
    _tell(closed, kind, PromiseStatus.OPEN, actor, reason=reason, message_id=source_message_id, detail=said)
    return closed


@transaction.atomic
def change_promise(
    *,
    actor: str,
    promise: Promise,
    what: str | None = None,
    to_who: str | None = None,
    due_day: date | None = None,
    due_at: datetime | None = None,
    due_words: str = "",
    reason: str = "",
    source_message_id: UUID | None = None,
    evidence: str = "",
) -> Promise:
    """
    Close an open promise as changed and open what it became, with a number of its own. What is not given stays as it
    was; a new day or its words replace both.

    Raises `InvalidPromise`: `not_standing` when it was closed already, `nothing_changed` when it would become what it
    is.
    """
    locked = lock_owner(promise.owner_id)
    retimed = bool(due_day or due_at or due_words)
    asked = _Undertaking.checked(
        locked,
        promise.from_who,
        promise.to_who if to_who is None else to_who,
        promise.what if what is None else what,
        due_day if retimed else promise.due_day,
        due_at if retimed else promise.due_at,
        due_words if retimed else promise.due_words,
    )
    if all(
        getattr(promise, field) == getattr(asked, field)
        for field in ("to_who", "what", "due_day", "due_at", "due_words")
    ):
        raise InvalidPromise(Reason.NOTHING_CHANGED, "promise")
    old = _closed(promise, PromiseStatus.CHANGED)
    new = _open(actor, locked, promise.scope, asked, source_message_id, evidence)
    Promise.objects.filter(pk=old.pk).update(changed_into=new)
    became = {"changed_into": str(new.pk)}
    _tell(
        old,
        PromiseEvent.Kind.CHANGED,
        PromiseStatus.OPEN,
        actor,
        reason=reason,
        message_id=source_message_id,
        detail=became,
    )
    return new


def _stated(text: str, field: str, limit: int) -> str:
    stated = one_line(text)
    if not stated:
        raise InvalidPromise(Reason.EMPTY, field)
    if len(stated) > limit:
        raise InvalidPromise(Reason.TOO_LONG, field)
    return stated


def _open(
    actor: str, owner: LockedOwner, scope: str, asked: _Undertaking, source_message_id: UUID | None, evidence: str
) -> Promise:
    """Numbers are counted under the owner's lock, so each is given once and none is given out of order."""
    last: int | None = Promise.objects.filter(owner=owner.key).aggregate(last=Max("number"))["last"]
    promise = Promise(
        owner_id=owner.key,
        scope=scope,
        number=(last or 0) + 1,
        from_who=asked.from_who,
        to_who=asked.to_who,
        what=asked.what,
        due_day=asked.due_day,
        due_at=asked.due_at,
        due_words=asked.due_words,
        source_message_id=source_message_id,
        evidence=kept_words(evidence),
        created_at=now(),
    )
    promise.save()
    _tell(promise, PromiseEvent.Kind.MADE, None, actor, message_id=source_message_id)
    return promise


def _closed(promise: Promise, status: PromiseStatus) -> Promise:
    if Promise.objects.filter(pk=promise.pk, status=PromiseStatus.OPEN).update(status=status) != 1:
        raise InvalidPromise(Reason.NOT_STANDING, "promise")
    return Promise.objects.get(pk=promise.pk)


def _tell(
    promise: Promise,
    kind: PromiseEvent.Kind,
    old: PromiseStatus | None,
    actor: str,
    *,
    reason: str = "",
    message_id: UUID | None = None,
    detail: Mapping[str, object] | None = None,
) -> None:
    PromiseEvent(
        promise=promise,
        kind=kind,
        actor=actor,
        at=now(),
        reason=kept_words(reason, REASON_MAX_CHARS),
        caused_by_message_id=message_id,
        old_status=old or "",
        new_status=promise.status,
        detail=dict(detail or {}),
    ).save()
