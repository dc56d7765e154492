"""
A proposed promise or its end: made by the one who said the words, due on a day the server worked out, settled only
when one open promise is meant beyond doubt.
"""

from __future__ import annotations

from datetime import date

from ella.memory.evidence import Applied, Exchange, Refused, Speaker, message_id_of, speaker_of
from ella.memory.schemas import PromiseChange, PromiseProposal
from ella.memory.when import RELATIVE_WORDS, resolve
from ledger.days import day_label
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
    if promise.from_who == exchange.person_name and speaker is Speaker.ELLA:
        raise Refused("whether the person kept their word is told by the person's words, not by Ella's")
    message_id = message_id_of(speaker, exchange)
    if proposal.change is PromiseChange.MOVED:
        span = resolve(proposal.when_words, said_at=exchange.at)
        if span is None or not span.sure:
            raise Refused("moved, but to no day that is sure")
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
    words, day = _due(proposal, exchange)
    made = make_promise(
        actor=ACTOR,
        owner=exchange.owner_id,
        from_who=who,
        to_who=exchange.name_of(proposal.to),
        what=proposal.what,
        due_day=day,
        due_words=words,
        evidence=proposal.evidence,
        source_message_id=message_id_of(speaker, exchange),
    )
    known = made.kind is PromiseOutcomeKind.CORROBORATED
    return Applied.unchanged(made.promise.pk) if known else Applied.accepted(made.promise.pk)


def _due(proposal: PromiseProposal, exchange: Exchange) -> tuple[str, date | None]:
    """
    The words for its time, and the day only where it is sure: nobody is held to a guess. Words without a sure day carry
    the day they were said on, or "tomorrow" would be tomorrow for ever.
    """
    found = RELATIVE_WORDS.search(proposal.what)
    words = " ".join(proposal.when_words.split())[:80] or (found.group(0) if found else "")
    span = resolve(words, said_at=exchange.at) if words else None
    if span is not None and span.sure:
        return words, span.last
    return (f"{words} (said {day_label(exchange.at.date())})" if words else ""), None
