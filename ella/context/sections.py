"""
The words the compiler speaks: priorities, lines that know where they came from, sections, and what was left out.
Plain immutable data, no behaviour.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum


class Priority(StrEnum):
    """Authority, highest first. Placement in the prompt runs the other way (layouts.py)."""

    RULES = "rules"
    P0 = "P0"
    P1 = "P1"
    P2 = "P2"
    P3 = "P3"
    P3B = "P3b"
    P4 = "P4"


class SourceKind(StrEnum):
    FACT = "fact"
    PROMISE = "promise"
    RELATIONSHIP = "relationship"
    THOUGHT = "thought"
    SCENE = "scene"
    MESSAGE = "message"
    FILE = "file"
    PERSON = "person"
    CLOCK = "clock"


@dataclass(frozen=True, slots=True)
class Source:
    kind: SourceKind
    id: str


@dataclass(frozen=True, slots=True)
class Line:
    text: str
    sources: tuple[Source, ...] = ()


@dataclass(frozen=True, slots=True)
class Section:
    key: str
    label: str
    priority: Priority
    lines: tuple[Line, ...]

    @property
    def text(self) -> str:
        """
        As it stands in the prompt: the label alone on its line, then the lines. Nothing at all when there are no
        lines.
        """
        if not self.lines:
            return ""
        body = "\n".join(line.text for line in self.lines)
        return f"{self.label}\n{body}" if self.label else body


@dataclass(frozen=True, slots=True)
class LeftOut:
    """A line that did not make it into the prompt, and why."""

    key: str
    text: str
    sources: tuple[Source, ...]
    reason: str


class Speaker(StrEnum):
    PERSON = "person"
    ELLA = "ella"


@dataclass(frozen=True, slots=True)
class Utterance:
    """
    One stored message. `at` is on the person's own clock; `position` orders a conversation; `absorbed` says whether
    `remember` has read its exchange.
    """

    id: str
    speaker: Speaker
    text: str
    at: datetime
    position: int
    absorbed: bool = True


@dataclass(frozen=True, slots=True)
class PromptInputs:
    """Everything a prompt may be made of, and nothing else: the same inputs give the same bytes."""

    rules: str
    person_card: tuple[Line, ...]
    person_name: str
    now: datetime
    message: Utterance
    history: tuple[Utterance, ...]  # oldest first, all before `message`
    scene: tuple[Line, ...] = ()
    promises: tuple[Line, ...] = ()
    relationships: tuple[Line, ...] = ()
    facts: tuple[Line, ...] = ()  # in the order of the brief: canon first
    thoughts: tuple[Line, ...] = ()
    care: tuple[Line, ...] = ()
    budget_tokens: int = 12_000
    facts_tokens: int = 3_000
    left_out: tuple[LeftOut, ...] = field(default=())  # what gathering already had to leave behind
