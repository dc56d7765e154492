"""
The one write of the self-log: Ella said something about herself. It never writes to the ledger, and refuses what is no
thought of hers.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from django.db import transaction
from django.utils.timezone import is_naive, now

from ledger.fencing import one_line
from ledger.models import Fact
from ledger.naming import folded
from ledger.ownership import HOME_SCOPE, Owner, lock_owner
from ledger.refusals import LedgerRefusal, Reason
from ledger.refused_kinds import is_about_the_system, is_filler
from ledger.subjects import normalised_subject
from selflog.models import CONTENT_MAX_CHARS, Certainty, SelfLogEntry


class InvalidThought(LedgerRefusal):
    pass


@dataclass(frozen=True, slots=True)
class ThoughtOutcome:
    """The entry that holds the words; `is_new` is false when this message had said them already."""

    entry: SelfLogEntry
    is_new: bool


@transaction.atomic
def log_thought(
    *,
    actor: str,
    owner: Owner,
    scope: str = HOME_SCOPE,
    said_at: datetime,
    content: str,
    about: Iterable[str] = (),
    certainty: Certainty = Certainty.HAPPENED,
    mentions_user: bool = False,
    message_id: UUID | None = None,
    based_on: Iterable[Fact] = (),
) -> ThoughtOutcome:
    """
    Keep what she said in the first person, once per message and wording.

    `said_at` is aware; `about` holds subjects in any of their forms; `based_on` facts of the same owner. Raises
    `InvalidThought` with reason and field, and `InvalidFact` for a subject that cannot be one; then nothing has
    happened.
    """
    said = one_line(content)
    if not said or is_filler(said):
        raise InvalidThought(Reason.EMPTY, "content")
    if len(said) > CONTENT_MAX_CHARS:
        raise InvalidThought(Reason.TOO_LONG, "content")
    if is_about_the_system(said):
        raise InvalidThought(Reason.ABOUT_THE_SYSTEM, "content")
    if is_naive(said_at):
        raise InvalidThought(Reason.NAIVE_TIME, "said_at")
    subjects = sorted({normalised_subject(subject) for subject in about})
    sources = list(based_on)

    locked = lock_owner(owner)
    if any(fact.owner_id != locked.key for fact in sources):
        raise InvalidThought(Reason.OTHER_OWNER, "based_on")
    digest = hashlib.sha256(folded(said).encode()).hexdigest()
    known = _known(locked.key, message_id, digest)
    if known:
        return ThoughtOutcome(known, is_new=False)
    entry = SelfLogEntry(
        owner_id=locked.key,
        scope=scope,
        said_at=said_at,
        content=said,
        content_hash=digest,
        about=subjects,
        certainty=certainty,
        mentions_user=mentions_user,
        message_id=message_id,
        logged_by=actor,
        created_at=now(),
    )
    entry.save()
    if sources:
        entry.based_on.set(sources)
    return ThoughtOutcome(entry, is_new=True)


def _known(owner_id: UUID, message_id: UUID | None, digest: str) -> SelfLogEntry | None:
    """Words without a message have nothing to be the same as."""
    if message_id is None:
        return None
    return SelfLogEntry.objects.filter(owner=owner_id, message_id=message_id, content_hash=digest).first()
