"""
Read from the database everything a prompt may be made of, as plain lines that know their rows. Each kind is one
indexed, bounded query; which facts are worth showing is the ledger's brief to say, and nothing is written.
"""

from __future__ import annotations

from datetime import datetime
from functools import cache
from pathlib import Path

from django.conf import settings

from boundary.classify import Verdict
from ella.clock import utc_now
from ella.context.compiler import window_start
from ella.context.excerpts import quoted
from ella.context.sections import LeftOut, Line, PromptInputs, Source, SourceKind, Speaker, Utterance
from ella.conversation.at_hand import TurnAtHand
from ella.conversation.models import Message
from ella.memory.models import Extraction, SceneItem
from ledger.brief import brief
from ledger.models import Fact, Promise, Relationship
from ledger.promising import promise_lines
from ledger.relating import relationship_lines
from selflog.lines import thought_lines
from selflog.models import SelfLogEntry

_PROMPTS = Path(__file__).with_name("prompts")
# Rows read of one kind at most; the compiler cuts far below that, this only keeps a turn's reads bounded for a person
# with a long life here.
FACTS_READ = 400
ROWS_READ = 60
UNREAD_EXCHANGES_READ = 40


def gather(turn: TurnAtHand, inbound: Verdict) -> PromptInputs:
    """The inputs of this turn's prompt, as they stand now."""
    now = utc_now()
    local_now = turn.local(now)
    fact_lines, left_out = _facts(turn, local_now)
    scene = SceneItem.objects.for_owner(turn.owner_id).standing(turn.conversation_id).order_by("-began_at")[:ROWS_READ]
    promises = Promise.objects.for_owner(turn.owner_id).open().order_by("due_day", "number")[:ROWS_READ]
    relationships = Relationship.objects.for_owner(turn.owner_id).current().order_by("-since")[:ROWS_READ]
    thoughts = SelfLogEntry.objects.for_owner(turn.owner_id).recent()
    return PromptInputs(
        rules=rules_text(),
        person_card=_person_card(turn),
        person_name=turn.called,
        now=local_now,
        message=Utterance(str(turn.message_id), Speaker.PERSON, turn.text, turn.local(turn.written_at), turn.position),
        history=_history(turn),
        scene=tuple(
            Line(f"- {quoted(item.thing)}: {quoted(item.state)}", (Source(SourceKind.SCENE, str(item.pk)),))
            for item in scene
        ),
        promises=tuple(
            Line(line.text, (Source(SourceKind.PROMISE, str(line.promise_id)),))
            for line in promise_lines(promises, today=local_now.date())
        ),
        relationships=tuple(
            Line(line.text, (Source(SourceKind.RELATIONSHIP, str(line.relationship_id)),))
            for line in relationship_lines(relationships, zone=local_now.tzinfo)
        ),
        facts=fact_lines,
        thoughts=tuple(
            Line(line.text, (Source(SourceKind.THOUGHT, str(line.entry_id)),))
            for line in thought_lines(thoughts, zone=local_now.tzinfo)
        ),
        care=_care(inbound),
        budget_tokens=settings.CONTEXT_BUDGET_TOKENS,
        facts_tokens=settings.CONTEXT_FACTS_TOKENS,
        left_out=left_out,
    )


@cache
def rules_text() -> str:
    """Persona and rules: the part of every prompt that is the same for everybody."""
    return "\n\n".join((_PROMPTS / name).read_text(encoding="utf-8").strip() for name in ("persona.md", "rules.md"))


@cache
def _care_text() -> str:
    return (_PROMPTS / "care.md").read_text(encoding="utf-8").strip()


def _care(inbound: Verdict) -> tuple[Line, ...]:
    if not inbound.distress:
        return ()
    return (Line(f"- [care] {_care_text()}", (Source(SourceKind.FILE, "context/prompts/care.md"),)),)


def _person_card(turn: TurnAtHand) -> tuple[Line, ...]:
    source = (Source(SourceKind.PERSON, str(turn.owner_id)),)
    card = {"Name": turn.called, "Language": turn.language, "Time zone": turn.timezone}
    return tuple(Line(f"{key}: {quoted(value)}", source) for key, value in card.items())


def _history(turn: TurnAtHand) -> tuple[Utterance, ...]:
    """The window of older messages, and before it every exchange `remember` has not absorbed yet."""
    waiting = Extraction.objects.unabsorbed().filter(conversation_id=turn.conversation_id, position__lt=turn.position)
    unread = set(waiting.order_by("-position").values_list("position", flat=True)[:UNREAD_EXCHANGES_READ])
    start = window_start(turn.position)
    wanted = {position for first in unread if first < start for position in (first, first + 1)}
    rows = list(Message.objects.before(turn.conversation_id, turn.position).filter(position__gte=start))
    if wanted:
        rows += list(Message.objects.before(turn.conversation_id, start).filter(position__in=wanted))
    return tuple(
        Utterance(
            id=str(row.pk),
            speaker=Speaker.PERSON if row.role == Message.Role.PERSON else Speaker.ELLA,
            text=row.text,
            at=turn.local(row.created_at),
            position=row.position,
            absorbed=row.position not in unread and row.position - 1 not in unread,
        )
        for row in sorted(rows, key=lambda row: row.position)
    )


def _facts(turn: TurnAtHand, local_now: datetime) -> tuple[tuple[Line, ...], tuple[LeftOut, ...]]:
    facts = list(Fact.objects.for_owner(turn.owner_id).current().by_rank()[:FACTS_READ])
    shown = brief(facts, now=local_now, budget_chars=settings.CONTEXT_FACTS_TOKENS * 4)
    kept = {line.fact_id for line in shown}
    left_out = tuple(
        LeftOut(
            "snapshot",
            f"{fact.subject} · {fact.predicate}",
            (Source(SourceKind.FACT, str(fact.pk)),),
            "no room in the brief, or its time is over",
        )
        for fact in facts
        if fact.pk not in kept
    )
    return tuple(Line(line.text, (Source(SourceKind.FACT, str(line.fact_id)),)) for line in shown), left_out[:40]
