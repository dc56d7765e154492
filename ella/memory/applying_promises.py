"""
A proposed promise or its end: made by the one who said the words, due on a day the server worked out, settled only
when one open promise is meant beyond doubt.
"""

from __future__ import annotations

from ella.memory.evidence import Applied, Exchange, Refused, message_id_of, speaker_of
from ella.memory.schemas import PromiseChange, PromiseProposal, Speaker
from ella.memory.when import resolve
from ledger.models import Promise, PromiseStatus
from ledger.promising import match_open
from ledger.services import PromiseOutcomeKind, change_promise, make_promise, settle_promise

ACTOR = "remember"

_ENDS = {
    PromiseChange.KEPT: PromiseStatus.KEPT,
    PromiseChange.BROKEN: PromiseStatus.BROKEN,
    PromiseChange.WITHDRAWN: PromiseStatus.WITHDRAWN,
}


def apply_promise(exchange: Exchange, proposal: PromiseProposal) -> Applied:
    """Open, move or settle. Raises Refused, LedgerRefusal."""
    speaker = speaker_of(proposal.evidence, exchange)
    if proposal.change is PromiseChange.MADE:
        return _make(exchange, proposal, speaker)
    promises = list(Promise.objects.for_owner(exchange.owner_id).open())
    promise = match_open(promises, from_who=exchange.name_of(proposal.who), what=proposal.what)
    if promise is None:
        raise Refused("no open promise, or more than one, is meant by these words")
    message_id = message_id_of(speaker, exchange)
    if proposal.change is PromiseChange.MOVED:
        span = resolve(proposal.when_words, said_at=exchange.at)
        if span is None:
            raise Refused("moved, but to no day that can be found")
        moved = change_promise(
            actor=ACTOR,
            promise=promise,
            due_day=span.last,
            due_words=proposal.when_words,
            evidence=proposal.evidence,
            source_message_id=message_id,
        )
        return Applied.accepted(moved.pk)
    settle_promise(
        actor=ACTOR,
        promise=promise,
        status=_ENDS[proposal.change],
        reason=proposal.evidence,
        source_message_id=message_id,
    )
    return Applied.accepted(promise.pk)


def _make(exchange: Exchange, proposal: PromiseProposal, speaker: Speaker) -> Applied:
    who = exchange.name_of(proposal.who)
    if (speaker is Speaker.ELLA) != (who == "Ella"):
        raise Refused("a promise is made by the one who says it")
    span = resolve(proposal.when_words, said_at=exchange.at) if proposal.when_words.strip() else None
    made = make_promise(
        actor=ACTOR,
        owner=exchange.owner_id,
        from_who=who,
        to_who=exchange.name_of(proposal.to),
        what=proposal.what,
        due_day=span.last if span else None,
        due_words=proposal.when_words,
        evidence=proposal.evidence,
        source_message_id=message_id_of(speaker, exchange),
    )
    known = made.kind is PromiseOutcomeKind.CORROBORATED
    return Applied.unchanged(made.promise.pk) if known else Applied.accepted(made.promise.pk)
