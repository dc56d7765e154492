"""
Replying from the table: words a person wrote, for when no model is asked. The texts are files (`replies/*.yaml`),
several for every category and situation, so that the same one is never given twice in a row.

Which one is given follows from the key alone, so a turn that is resumed answers as it would have. A crisis text names
the helpline of the person's country. This module must never make up a text, and never give an empty one.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from boundary.helplines import Helpline, helpline_for
from boundary.verdict import Category, Direction

REPLIES_FOLDER = Path(__file__).parent / "replies"
FALLBACK_LANGUAGE = "en"

# The situation a text is written for where nothing more is known.
_USUAL = {Direction.INBOUND: "plain", Direction.OUTBOUND: "drift"}


class ReplyTableError(Exception):
    """A reply file cannot be used. The message names file and text."""


@dataclass(frozen=True, slots=True)
class Reply:
    """`text_id` names the text in the table; `text` is what the person reads."""

    text_id: str
    text: str


@dataclass(frozen=True, slots=True)
class Contact:
    """How a language says whom to call; `{name}`, `{phone}`, `{text}`, `{word}` and `{url}` are filled in."""

    phone: str
    phone_and_text: str
    phone_and_word: str
    international: str
    emergency: str

    def sentence(self, helpline: Helpline) -> str:
        if not helpline.phone:
            form = self.international
        elif helpline.text_word:
            form = self.phone_and_word
        else:
            form = self.phone_and_text if helpline.text else self.phone
        return form.format(
            name=helpline.name, phone=helpline.phone, text=helpline.text, word=helpline.text_word, url=helpline.url
        )


@dataclass(frozen=True, slots=True)
class TableText:
    """One text of the table. `{helpline}` and `{emergency}` in it are filled in for the person's country."""

    id: str
    category: Category
    direction: Direction
    situation: str
    language: str
    text: str


@dataclass(frozen=True)
class ReplyTable:
    texts: tuple[TableText, ...]
    contacts: Mapping[str, Contact]

    @classmethod
    def load(cls, folder: Path = REPLIES_FOLDER) -> ReplyTable:
        """Read every file in `folder`. Raises ReplyTableError."""
        texts: list[TableText] = []
        contacts: dict[str, Contact] = {}
        for path in sorted(folder.glob("*.yaml")):
            data = yaml.safe_load(path.read_text(encoding="utf-8"))
            if "contact" in data:
                contacts[data["language"]] = _contact(data["contact"], path.name)
            texts.extend(_text(spec, data, path.name) for spec in data["replies"])
        table = cls(tuple(texts), contacts)
        table._validate()
        return table

    def candidates(self, category: Category, direction: Direction, situation: str, language: str) -> list[TableText]:
        """The texts for this case; where there are none, those of the usual situation, then those in English."""
        spoken = language.lower().partition("-")[0]
        for tongue in (spoken, FALLBACK_LANGUAGE):
            for told in (situation, _USUAL[direction]):
                found = [
                    text
                    for text in self.texts
                    if (text.category, text.direction, text.situation, text.language)
                    == (category, direction, told, tongue)
                ]
                if found:
                    return found
        raise LookupError(f"The reply table has nothing for {category} {direction}.")

    def filled(self, text: TableText, country: str) -> str:
        if text.category is not Category.EMOTIONAL_CRISIS:
            return text.text
        helpline = helpline_for(country, text.language)
        contact = self.contacts[text.language]
        return text.text.format(helpline=contact.sentence(helpline), emergency=helpline.emergency or contact.emergency)

    def _validate(self) -> None:
        ids = [text.id for text in self.texts]
        for text in self.texts:
            if ids.count(text.id) > 1:
                raise ReplyTableError(f"{text.id}: this id is used twice.")
            if text.category is Category.EMOTIONAL_CRISIS and text.language not in self.contacts:
                raise ReplyTableError(f"{text.id}: “{text.language}” has no `contact` to name a helpline with.")
            if len(self.candidates(text.category, text.direction, text.situation, text.language)) < 2:
                raise ReplyTableError(f"{text.id}: one text alone would be given twice in a row; write another.")
        for category, direction in ((c, d) for c in Category if c is not Category.OK for d in Direction):
            self.candidates(category, direction, _USUAL[direction], FALLBACK_LANGUAGE)


def _contact(spec: Mapping[str, str], file: str) -> Contact:
    try:
        return Contact(**spec)
    except TypeError as error:
        raise ReplyTableError(f"{file}: contact: {error}") from error


def _text(spec: Mapping[str, Any], data: Mapping[str, Any], file: str) -> TableText:
    try:
        return TableText(
            id=spec["id"],
            category=Category(data["category"]),
            direction=Direction(spec["direction"]),
            situation=spec["situation"],
            language=data["language"],
            text=" ".join(spec["text"].split()),
        )
    except (KeyError, ValueError) as error:
        raise ReplyTableError(f"{file}: {spec.get('id', '?')}: {error}") from error


TABLE = ReplyTable.load()


def choose_reply(
    *,
    category: Category,
    direction: Direction,
    key: str,
    country: str,
    language: str,
    previous_text_id: str | None,
    situation: str = "",
    table: ReplyTable = TABLE,
) -> Reply:
    """
    The table's answer to a verdict.

    `key` decides which of the variants (give the turn's id); the one named by `previous_text_id` is never given again
    at once. `situation` is the verdict's; an unknown one is answered as the usual. `country` is ISO 3166 alpha-2 or
    "", `language` a tag such as "de" or "pt-BR". Raises LookupError for `Category.OK`.
    """
    candidates = table.candidates(category, direction, situation or _USUAL[direction], language)
    fresh = [text for text in candidates if text.id != previous_text_id] or candidates
    chosen = fresh[_number(key, (text.id for text in candidates)) % len(fresh)]
    return Reply(chosen.id, table.filled(chosen, country))


def _number(key: str, ids: Iterable[str]) -> int:
    """The same for the same key and table, on every machine."""
    return int.from_bytes(hashlib.sha256("\n".join([key, *ids]).encode()).digest()[:8], "big")
