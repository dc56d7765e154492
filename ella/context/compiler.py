"""
The context compiler: from plain inputs to ranked, labelled, budgeted sections. Pure; the same inputs give the same
bytes.

Who gets room when there is too little of it: the message itself is never cut (P0); the last exchange (P1) and the
scene (P2) are guaranteed; exchanges `remember` has not read come next; the snapshot (P3), the thoughts (P3b) and
older chat (P4) share what remains, the lowest rank cut first. Whatever does not fit is recorded with its reason. It
reads no database and knows no provider.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime

from ella.context.excerpts import defuse_labels, ella_excerpt, quoted, tail
from ella.context.sections import LeftOut, Line, Priority, PromptInputs, Section, Source, SourceKind, Speaker, Utterance
from ledger.days import day_label

# The window of older messages moves in steps of this many exchanges, so that the cached prefix stays byte-identical
# in between.
WINDOW_MIN_EXCHANGES = 12
WINDOW_STEP_EXCHANGES = 12
POSITIONS_PER_EXCHANGE = 2
SCENE_MAX_LINES = 12
THOUGHTS_MAX = 5
# Room a label, its explanation and the joints between blocks take; counted so that the whole never exceeds its budget.
_SECTION_OVERHEAD_CHARS = 240


@dataclass(frozen=True, slots=True)
class CompiledPrompt:
    """Sections by what they are; a layout decides where they stand."""

    rules: Section
    person: Section
    recent_chat: tuple[Utterance, ...]  # the window, oldest first, the last exchange included, texts already excerpted
    carried: tuple[Utterance, ...]  # not absorbed and outside the window
    message: Utterance  # the latest input, labels in it defused, otherwise whole
    snapshot: Section
    thoughts: Section
    scene: Section
    left_out: tuple[LeftOut, ...]
    person_name: str


def window_start(position: int) -> int:
    """
    The first position of the window of older messages for the message at `position`; it moves in steps, not every
    turn.
    """
    step = WINDOW_STEP_EXCHANGES * POSITIONS_PER_EXCHANGE
    reach = position - 1 - WINDOW_MIN_EXCHANGES * POSITIONS_PER_EXCHANGE
    return max(0, reach // step) * step + 1


def stamp(moment: datetime) -> str:
    """`2026-12-01 Tue 14:02`, on the clock `moment` is on."""
    return f"{day_label(moment.date())} {moment:%H:%M}"


def compile_prompt(inputs: PromptInputs) -> CompiledPrompt:
    """Rank, cut and label. Raises nothing: a prompt that has to leave something out says what and why in `left_out`."""
    left_out = list(inputs.left_out)
    message = _shown(inputs.message, whole=True)
    rules = Section("rules", "", Priority.RULES, (Line(inputs.rules, (Source(SourceKind.FILE, "context/prompts"),)),))
    person = Section("person", "[THE PERSON]", Priority.RULES, inputs.person_card)
    scene = _scene(inputs, left_out)

    room = (
        inputs.budget_tokens * 4
        - len(rules.text)
        - len(person.text)
        - len(message.text)
        - len(scene.text)
        - 6 * _SECTION_OVERHEAD_CHARS
    )
    start = window_start(inputs.message.position)
    history = [_shown(utterance) for utterance in inputs.history]
    window = [utterance for utterance in history if utterance.position >= start]
    earlier = [utterance for utterance in history if utterance.position < start]

    last_exchange = _last_exchange(history)
    room -= sum(_cost(utterance) for utterance in last_exchange)
    unread = [utterance for utterance in history if not utterance.absorbed and utterance not in last_exchange]
    kept_unread, room = _newest_that_fit(
        unread, room, "latest_exchange", "no room, although not absorbed yet", left_out
    )

    now_line = Line(f"Now, for {quoted(inputs.person_name)}: {stamp(inputs.now)}", (Source(SourceKind.CLOCK, "now"),))
    room -= len(now_line.text)
    snapshot_lines, room = _snapshot(inputs, room, left_out)
    thoughts, room = _thoughts(inputs, room, left_out)

    older = [utterance for utterance in window if utterance not in last_exchange and utterance.absorbed]
    kept_older, room = _newest_that_fit(older, room, "recent_chat", "no room for older chat", left_out)
    shown = {id(utterance) for utterance in (*last_exchange, *kept_unread, *kept_older)}
    recent_chat = _opened_by_the_person([utterance for utterance in window if id(utterance) in shown], left_out)
    return CompiledPrompt(
        rules=rules,
        person=person,
        recent_chat=recent_chat,
        carried=tuple(utterance for utterance in earlier if id(utterance) in shown),
        message=message,
        snapshot=Section("snapshot", "[CHARACTER / WORLD SNAPSHOT]", Priority.P3, (now_line, *snapshot_lines)),
        thoughts=thoughts,
        scene=scene,
        left_out=tuple(left_out),
        person_name=inputs.person_name,
    )


def excerpt_line(utterance: Utterance, person_name: str) -> Line:
    """One message as a dated, fenced line, for the places where it is quoted and not replayed."""
    speaker = quoted(person_name if utterance.speaker is Speaker.PERSON else "Ella")
    return Line(
        f"- {speaker} ({stamp(utterance.at)}): {quoted(utterance.text)}", (Source(SourceKind.MESSAGE, utterance.id),)
    )


def _shown(utterance: Utterance, *, whole: bool = False) -> Utterance:
    text = utterance.text
    if not whole:
        text = ella_excerpt(text) if utterance.speaker is Speaker.ELLA else tail(text)
    return Utterance(
        utterance.id, utterance.speaker, defuse_labels(text), utterance.at, utterance.position, utterance.absorbed
    )


def _cost(utterance: Utterance) -> int:
    return len(utterance.text) + 64


def _last_exchange(history: Sequence[Utterance]) -> list[Utterance]:
    """The newest reply with the message it answers, or the newest message alone when it was never answered."""
    if not history:
        return []
    newest = history[-1]
    if newest.speaker is Speaker.ELLA and len(history) > 1 and history[-2].speaker is Speaker.PERSON:
        return [history[-2], newest]
    return [newest]


def _newest_that_fit(
    utterances: Iterable[Utterance], room: int, key: str, reason: str, left_out: list[LeftOut]
) -> tuple[list[Utterance], int]:
    """Newest first; the first that does not fit ends it, so that the chat shown has no holes."""
    kept: list[Utterance] = []
    pending = list(utterances)
    while pending and _cost(pending[-1]) <= room:
        kept.append(pending.pop())
        room -= _cost(kept[-1])
    left_out.extend(
        LeftOut(key, utterance.text[:160], (Source(SourceKind.MESSAGE, utterance.id),), reason) for utterance in pending
    )
    return kept[::-1], room


def _opened_by_the_person(chat: list[Utterance], left_out: list[LeftOut]) -> tuple[Utterance, ...]:
    """A provider wants the first message from the person; a reply whose question was cut goes with it."""
    while chat and chat[0].speaker is Speaker.ELLA:
        orphan = chat.pop(0)
        left_out.append(
            LeftOut(
                "recent_chat",
                orphan.text[:160],
                (Source(SourceKind.MESSAGE, orphan.id),),
                "the message it answers did not fit",
            )
        )
    return tuple(chat)


def _scene(inputs: PromptInputs, left_out: list[LeftOut]) -> Section:
    lines, dropped = inputs.scene[:SCENE_MAX_LINES], inputs.scene[SCENE_MAX_LINES:]
    left_out.extend(
        LeftOut("scene", line.text, line.sources, "the scene is kept to its newest lines") for line in dropped
    )
    return Section("scene", "[SCENE STATE]", Priority.P2, lines)


def _snapshot(inputs: PromptInputs, room: int, left_out: list[LeftOut]) -> tuple[tuple[Line, ...], int]:
    """
    Care and promises before relationships before facts; a line that does not fit is skipped and shorter ones still
    get their chance.
    """
    kept: list[Line] = []
    facts_room = inputs.facts_tokens * 4
    for key, lines in (
        ("care", inputs.care),
        ("promise", inputs.promises),
        ("relationship", inputs.relationships),
        ("fact", inputs.facts),
    ):
        for line in lines:
            size = len(line.text) + 1
            if size > room or (key == "fact" and size > facts_room):
                left_out.append(LeftOut("snapshot", line.text, line.sources, f"no room left for this {key}"))
                continue
            kept.append(line)
            room -= size
            facts_room -= size if key == "fact" else 0
    return tuple(kept), room


def _thoughts(inputs: PromptInputs, room: int, left_out: list[LeftOut]) -> tuple[Section, int]:
    kept: list[Line] = []
    for line in inputs.thoughts[:THOUGHTS_MAX]:
        if len(line.text) + 1 <= room:
            kept.append(line)
            room -= len(line.text) + 1
        else:
            left_out.append(LeftOut("thoughts", line.text, line.sources, "no room left for this thought"))
    return Section("thoughts", "[YOUR RECENT THOUGHTS]", Priority.P3B, tuple(kept)), room
