"""
The stand-in's reading of one exchange: facts, scene, promises, relationships and thoughts, as the extraction prompt
asks for them.

It reads the one JSON document of the request and nothing else; a document of another shape reads as an exchange in
which nothing changed.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from dataclasses import asdict, dataclass, field
from typing import Any

from ella.offline.reading.facts import Fact, facts_of_ella, facts_of_person
from ella.offline.reading.feelings import feelings_of
from ella.offline.reading.promises import OpenPromise, promises_of
from ella.offline.reading.scene import Voice, scene_of
from ella.offline.reading.thoughts import thoughts_of

_HALF = re.compile("[\ud800-\udfff]")
SECTIONS = ("facts", "scene", "promises", "relationships", "thoughts")


@dataclass(slots=True)
class Exchange:
    """The document, with everything that is not of the expected shape left out."""

    person: str = ""
    ella: str = ""
    name: str = "the person"
    scene: dict[str, str] = field(default_factory=dict)
    promises: list[OpenPromise] = field(default_factory=list)
    known: list[str] = field(default_factory=list)

    @property
    def names(self) -> dict[str, str]:
        return {"person": self.name, "ella": "Ella"}


def read_exchange(document: str) -> dict[str, list[dict[str, Any]]]:
    """What the exchange in `document` (JSON) changed, by section. Never raises; unreadable input changes nothing."""
    exchange = _parsed(document)
    facts = [*facts_of_person(exchange.person, exchange.known), *facts_of_ella(exchange.ella)]
    news = [
        *promises_of(exchange.person, "person", exchange.names, exchange.promises),
        *promises_of(exchange.ella, "ella", exchange.names, exchange.promises),
    ]
    feelings = [
        *feelings_of(exchange.person, "person", exchange.names),
        *feelings_of(exchange.ella, "ella", exchange.names),
    ]
    return {
        "facts": [_proposal(fact) for fact in _unknown(facts, exchange.known)],
        "scene": [asdict(line) for line in _scene(exchange)],
        "promises": [_renamed(asdict(each)) for each in news],
        "relationships": [asdict(feeling) for feeling in feelings],
        "thoughts": [
            {**asdict(thought), "about": list(thought.about)} for thought in thoughts_of(exchange.ella, exchange.known)
        ],
    }


def _scene(exchange: Exchange) -> list[Any]:
    """Both messages, the person's first: where they disagree the later one holds."""
    person, ella = Voice(exchange.name, "Ella"), Voice("Ella", exchange.name)
    found = scene_of(exchange.person, person, exchange.scene)
    standing = exchange.scene | {line.thing: line.state for line in found.values()}
    return list((found | scene_of(exchange.ella, ella, standing, of_ella=True)).values())


def _unknown(facts: Iterable[Fact], known: Iterable[str]) -> list[Fact]:
    """
    Without what the document lists as known: a reading tells changes. Something done or planned is told again with
    its day.
    """
    lines = {line.casefold() for line in known}
    return [fact for fact in facts if fact.when or fact.shown().casefold() not in lines]


def _proposal(fact: Fact) -> dict[str, Any]:
    return {
        "subject": fact.subject,
        "predicate": fact.predicate,
        "object": fact.object,
        "basis": fact.basis,
        "when_words": fact.when,
        "evidence": fact.evidence,
    }


def _renamed(news: dict[str, Any]) -> dict[str, Any]:
    return {"when_words" if key == "when" else key: value for key, value in news.items()}


def _parsed(document: str) -> Exchange:
    try:
        raw = json.loads(document)
    except (ValueError, RecursionError):
        return Exchange()
    exchange = Exchange()
    if not isinstance(raw, dict):
        return exchange
    for message in _dicts(raw, "exchange"):
        if message.get("who") == "person":
            exchange.person = _text(message, "text")
            exchange.name = _text(message, "name") or exchange.name
        elif message.get("who") == "ella":
            exchange.ella = _text(message, "text")
    exchange.scene = {_text(item, "thing"): _text(item, "state") for item in _dicts(raw, "scene")}
    roles = {exchange.name.casefold(): "person", "ella": "ella", "person": "person"}
    for item in _dicts(raw, "open_promises"):
        who, to = (roles.get(_text(item, key).casefold(), _text(item, key)) for key in ("who", "to"))
        exchange.promises.append(OpenPromise(who, to, _text(item, "what")))
    known = raw.get("known")
    exchange.known = [_sound(line) for line in known if isinstance(line, str)] if isinstance(known, list) else []
    return exchange


def _text(item: dict[str, Any], key: str) -> str:
    value = item.get(key)
    return _sound(value) if isinstance(value, str) else ""


def _sound(text: str) -> str:
    """`text` without halves of characters, which no answer could carry; every other character keeps its place."""
    return _HALF.sub("\ufffd", text)


def _dicts(raw: dict[str, Any], key: str) -> list[dict[str, Any]]:
    found = raw.get(key)
    return [item for item in found if isinstance(item, dict)] if isinstance(found, list) else []
