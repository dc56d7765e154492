"""
Takes a request apart into what it tells: who writes, what stands, what was said, what is asked now.

Labels count only in system text and only alone on a line; what stands between « and » is data and can neither be a
label nor a line. What somebody wrote in a message is
never read for labels at all.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from datetime import date
from typing import Any

_LABEL = re.compile(r"\[([A-Z][A-Z /]{2,40})\]")
_QUOTE = r"«([^»\n]*)»"
_DAY = r"(\d{4}-\d\d-\d\d \w{3})"
_FACT = re.compile(
    rf"- \[(?P<tier>\w+)\] (?P<subject>[^\s·«]+) · (?P<predicate>[^=«]{{1,60}}?) = {_QUOTE}(?P<extras>.*)"
)
_PROMISE = re.compile(
    rf"- \[(?P<label>p[\d-]+)\] (?P<who>[^«→]{{1,90}}) → (?P<to>[^«→:]{{1,90}}): {_QUOTE}(?P<extras>.*)"
)
_RELATIONSHIP = re.compile(rf"- (?P<who>[^\[«→]{{1,90}}) → (?P<to>[^«→:]{{1,90}}): {_QUOTE}(?: · because {_QUOTE})?")
_THOUGHT = re.compile(rf"- {_QUOTE}(?: \(said {_DAY}\))?")
_SPOKEN = re.compile(rf"- «?(?P<who>[^«»]{{1,90}})»? \({_DAY} \d\d:\d\d\): {_QUOTE}")
_SCENE = re.compile(rf"- «?(?P<thing>[^«»]{{1,90}})»?: {_QUOTE}")
_NOW = re.compile(rf"Now, for [^\n]{{0,90}}?: {_DAY} \d\d:\d\d")
_NAME = re.compile(rf"Name: {_QUOTE}")
_WRITTEN = re.compile(rf"\({_DAY} \d\d:\d\d\) ")
_ON = re.compile(rf"\(on {_DAY}(?: to {_DAY})?\)")
_TOLD = re.compile(r"\(told ([^()«]{1,40})\)")
_DUE = re.compile(rf"· due {_DAY}")


@dataclass(frozen=True, slots=True)
class FactLine:
    """
    One fact as the prompt shows it. `on` and `until` are days such as `2026-12-03 Thu`, "" when none stands there.
    """

    tier: str
    subject: str
    predicate: str
    object: str
    on: str = ""
    until: str = ""
    told: str = ""
    disputed: bool = False


@dataclass(frozen=True, slots=True)
class PromiseLine:
    who: str
    to: str
    what: str
    due: str = ""
    settle_today: bool = False


@dataclass(frozen=True, slots=True)
class RelationshipLine:
    who: str
    to: str
    state: str
    cause: str = ""


@dataclass(frozen=True, slots=True)
class ThoughtLine:
    content: str
    said: str = ""


@dataclass(frozen=True, slots=True)
class Spoken:
    """Something said before. `on` is the day it was said, "" for Ella's replayed lines, which carry none."""

    by_ella: bool
    text: str
    on: str = ""


@dataclass(slots=True)
class Prompt:
    """Everything the reader may know. `chat` is all that was said before the message, oldest first."""

    name: str = ""
    today: str = ""  # 2026-12-01 Tue
    facts: list[FactLine] = field(default_factory=list)
    promises: list[PromiseLine] = field(default_factory=list)
    relationships: list[RelationshipLine] = field(default_factory=list)
    thoughts: list[ThoughtLine] = field(default_factory=list)
    scene: dict[str, str] = field(default_factory=dict)
    chat: list[Spoken] = field(default_factory=list)
    care: bool = False
    message: str = ""

    @property
    def day(self) -> date | None:
        return day_of(self.today)

    @property
    def said_by_ella(self) -> list[str]:
        return [spoken.text for spoken in self.chat if spoken.by_ella]


def day_of(label: str) -> date | None:
    """`2026-12-03 Thu` as a date."""
    try:
        return date.fromisoformat(label[:10])
    except ValueError:
        return None


def parse(request: dict[str, Any]) -> Prompt:
    """A validated request, in either layout, as a Prompt. Raises nothing for text it does not understand."""
    prompt = Prompt()
    messages = list(request.get("messages") or ())
    asked = max((index for index, message in enumerate(messages) if message.get("role") == "user"), default=-1)
    system = [
        *texts(request.get("system")),
        *(text for message in messages if message.get("role") == "system" for text in texts(message.get("content"))),
    ]
    quoted: dict[str, list[Spoken]] = {"RECENT CHAT": [], "LATEST EXCHANGE": []}
    for label, line in _labelled(system):
        _read(prompt, quoted, label, line)
    replayed = []
    for index, message in enumerate(messages):
        text = "\n".join(texts(message.get("content")))
        if index == asked:
            prompt.message = _WRITTEN.sub("", text, count=1) if _WRITTEN.match(text) else text
        elif index < asked and message.get("role") in {"user", "assistant"}:
            replayed.append(_spoken(text, by_ella=message["role"] == "assistant"))
    # What `remember` has not read yet is shown again under its label; in the closing message it is older than the
    # window.
    prompt.chat = (
        [*quoted["LATEST EXCHANGE"], *replayed] if replayed else [*quoted["RECENT CHAT"], *quoted["LATEST EXCHANGE"]]
    )
    return prompt


def texts(content: Any) -> list[str]:
    """The text of `system` or of a message, block by block."""
    if isinstance(content, str):
        return [content]
    return [
        str(block.get("text", "")) for block in content or () if isinstance(block, dict) and block.get("type") == "text"
    ]


def _spoken(text: str, *, by_ella: bool) -> Spoken:
    written = _WRITTEN.match(text)
    return Spoken(by_ella, text[written.end() :], written.group(1)) if written else Spoken(by_ella, text)


def _labelled(blocks: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Every line of the system text with the label it stands under."""
    for block in blocks:
        label = ""
        for line in block.split("\n"):
            found = _LABEL.fullmatch(line.strip())
            if found:
                label = found.group(1)
            else:
                yield label, line


def _read(prompt: Prompt, quoted: dict[str, list[Spoken]], label: str, line: str) -> None:
    if label == "THE PERSON":
        name = _NAME.match(line)
        prompt.name = name.group(1) if name else prompt.name
    elif label == "CHARACTER / WORLD SNAPSHOT":
        _snapshot(prompt, line)
    elif label == "YOUR RECENT THOUGHTS" and (thought := _THOUGHT.match(line)):
        prompt.thoughts.append(ThoughtLine(thought.group(1), thought.group(2) or ""))
    elif label in quoted and (spoken := _SPOKEN.match(line)):
        quoted[label].append(Spoken(spoken["who"] == "Ella", spoken.group(3), spoken.group(2)))
    elif label == "SCENE STATE" and (scene := _SCENE.match(line)):
        prompt.scene[scene["thing"]] = scene.group(2)


def _snapshot(prompt: Prompt, line: str) -> None:
    now = _NOW.match(line)
    if now:
        prompt.today = now.group(1)
    elif line.startswith("- [care]"):
        prompt.care = True
    elif promise := _PROMISE.match(line):
        due = _DUE.search(promise["extras"])
        settle = promise["extras"].rstrip().endswith("settle today")
        prompt.promises.append(
            PromiseLine(promise["who"], promise["to"], promise.group(4), due.group(1) if due else "", settle)
        )
    elif fact := _FACT.match(line):
        prompt.facts.append(_fact(fact))
    elif felt := _RELATIONSHIP.match(line):
        prompt.relationships.append(RelationshipLine(felt["who"], felt["to"], felt.group(3), felt.group(4) or ""))


def _fact(match: re.Match[str]) -> FactLine:
    extras = re.sub(_QUOTE, "", match["extras"])
    on, told = _ON.search(extras), _TOLD.search(extras)
    return FactLine(
        tier=match["tier"],
        subject=match["subject"],
        predicate=match["predicate"].strip(),
        object=match.group(4),
        on=on.group(1) if on else "",
        until=(on.group(2) or "") if on else "",
        told=told.group(1) if told else "",
        disputed="(disputed)" in extras,
    )
