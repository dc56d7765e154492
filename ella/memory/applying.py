"""
What an answer means: each item the model proposed is checked and applied, or refused with its reason, by itself.

The tier of a fact follows from who said it and about whom, never from the model: told of one's own life is
`observed`, passed on is `rumored`, said by the person about Ella's world is `user_claim`, concluded is `inferred`,
and what Ella says of her own world becomes `inferred` only where nothing stands yet.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any

from django.db import transaction

from ella.clock import utc_now
from ella.llm.structured import ParsedItem
from ella.memory.applying_facts import apply_fact
from ella.memory.applying_promises import apply_promise
from ella.memory.evidence import Applied, Exchange, Refused, Speaker, message_id_of, speaker_of
from ella.memory.models import ExtractionItem
from ella.memory.scene import NotAScene, change_scene
from ella.memory.schemas import RelationshipProposal, SceneProposal, ThoughtProposal
from ledger.refusals import LedgerRefusal
from ledger.services import RelationshipOutcomeKind, change_relationship
from ledger.subjects import normalised_subject
from selflog.models import Certainty
from selflog.services import log_thought

ACTOR = "remember"
# More than this from one exchange is a model that has lost its way; the rest is recorded as refused.
ITEMS_MOST = 40
THOUGHT_MAX = 300
ABOUT_MOST = 8


def apply_items(exchange: Exchange, items: list[ParsedItem]) -> None:
    """
    Apply every item in a savepoint of its own and record what became of it. Call inside the transaction that marks
    the exchange as read.
    """
    ExtractionItem.objects.bulk_create(
        [_recorded(exchange, index, item, _applied(exchange, index, item)) for index, item in enumerate(items)]
    )


def _applied(exchange: Exchange, index: int, item: ParsedItem) -> Applied:
    if not item.accepted:
        return Applied.refused(item.reason)
    if index >= ITEMS_MOST:
        return Applied.refused("more items than one exchange can change")
    try:
        with transaction.atomic():
            return _APPLIERS[item.field](exchange, item.value)
    except (Refused, LedgerRefusal, NotAScene) as refusal:
        return Applied.refused(str(refusal))


def _recorded(exchange: Exchange, index: int, item: ParsedItem, applied: Applied) -> ExtractionItem:
    return ExtractionItem(
        extraction_id=exchange.turn_id,
        index=index,
        kind=_KINDS[item.field],
        proposed=_storable(item.raw),
        outcome=applied.outcome,
        reason=applied.reason[:200],
        target_id=applied.target_id,
    )


def _storable(raw: Any) -> Any:
    """As the model proposed it; a number no JSON column takes (`1e999`) as the words it was."""
    try:
        json.dumps(raw, allow_nan=False)
    except ValueError:
        return repr(raw)
    return raw


def apply_scene(exchange: Exchange, proposal: SceneProposal) -> Applied:
    speaker = speaker_of(proposal.evidence, exchange)
    item = change_scene(
        actor=ACTOR,
        owner_id=exchange.owner_id,
        conversation_id=exchange.conversation_id,
        thing=exchange.name_of(proposal.thing),
        state=proposal.state,
        evidence=proposal.evidence,
        message_id=message_id_of(speaker, exchange),
        now=utc_now(),
    )
    return Applied.accepted(item.pk) if item else Applied.unchanged()


def apply_relationship(exchange: Exchange, proposal: RelationshipProposal) -> Applied:
    speaker = speaker_of(proposal.evidence, exchange)
    if exchange.name_of(proposal.who) == exchange.person_name and speaker is Speaker.ELLA:
        raise Refused("how the person feels is told by the person's words, not by Ella's")
    change = change_relationship(
        actor=ACTOR,
        owner=exchange.owner_id,
        from_who=exchange.name_of(proposal.who),
        to_who=exchange.name_of(proposal.towards),
        state=proposal.state,
        cause=proposal.cause,
        evidence=proposal.evidence,
        source_message_id=message_id_of(speaker, exchange),
        since=exchange.at,
    )
    known = change.kind is RelationshipOutcomeKind.CORROBORATED
    return Applied.unchanged(change.relationship.pk) if known else Applied.accepted(change.relationship.pk)


def apply_thought(exchange: Exchange, proposal: ThoughtProposal) -> Applied:
    if speaker_of(proposal.evidence, exchange) is not Speaker.ELLA:
        raise Refused("a thought is something Ella said, and these are the person's words")
    content = " ".join(proposal.content.split())
    if not content or len(content) > THOUGHT_MAX:
        raise Refused(f"a thought has between 1 and {THOUGHT_MAX} characters")
    logged = log_thought(
        actor=ACTOR,
        owner=exchange.owner_id,
        content=content,
        about=_subjects(proposal.about),
        certainty=Certainty(proposal.certainty.value),
        mentions_user=bool(re.search(rf"\b(you|{re.escape(exchange.person_name)})\b", content, re.IGNORECASE)),
        message_id=exchange.ella_message_id,
        said_at=exchange.at,
    )
    return Applied.accepted(logged.entry.pk) if logged.is_new else Applied.unchanged(logged.entry.pk)


def _subjects(named: list[str]) -> list[str]:
    """What a thought is about, as far as the ledger knows such subjects: others are dropped."""
    known = []
    for subject in named[:ABOUT_MOST]:
        try:
            known.append(normalised_subject(subject))
        except LedgerRefusal:
            continue
    return known


_APPLIERS: dict[str, Callable[[Exchange, Any], Applied]] = {
    "facts": apply_fact,
    "scene": apply_scene,
    "promises": apply_promise,
    "relationships": apply_relationship,
    "thoughts": apply_thought,
}
_KINDS = {
    "facts": ExtractionItem.Kind.FACT,
    "scene": ExtractionItem.Kind.SCENE,
    "promises": ExtractionItem.Kind.PROMISE,
    "relationships": ExtractionItem.Kind.RELATIONSHIP,
    "thoughts": ExtractionItem.Kind.THOUGHT,
}
