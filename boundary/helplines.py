"""
Helplines: who can be called in which country, from `helplines.yaml`. A row names its source and the day it was last
compared with it; a system check says when that was too long ago. This module must never guess a number.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any

import yaml

HELPLINES_FILE = Path(__file__).parent / "helplines.yaml"
INTERNATIONAL = ""


class HelplineError(Exception):
    """`helplines.yaml` cannot be used. The message names the row."""


@dataclass(frozen=True, slots=True)
class Helpline:
    """
    One service. `country` is ISO 3166 alpha-2, "" for the international directory; `text` a number for messages,
    `text_word` the word to send there; `emergency` the country's emergency number; `languages` what is spoken there.
    """

    country: str
    name: str
    phone: str
    text: str
    text_word: str
    url: str
    emergency: str
    languages: tuple[str, ...]
    source: str
    verified_on: date

    def is_older_than(self, months: int, today: date) -> bool:
        """Was it last compared with its source more than `months` calendar months before `today`?"""
        year, month = divmod(self.verified_on.year * 12 + self.verified_on.month - 1 + months, 12)
        return (today.year, today.month, today.day) > (year, month + 1, self.verified_on.day)


def helpline_for(country: str, language: str, helplines: Iterable[Helpline] | None = None) -> Helpline:
    """
    The service of `country` that speaks `language`, else its first one, else the international directory.

    `country` is two letters in any case, or "" where it is not known; `language` a tag such as "fr" or "pt-BR".
    """
    rows = tuple(HELPLINES if helplines is None else helplines)
    there = [row for row in rows if row.country == country.upper()] or [
        row for row in rows if row.country == INTERNATIONAL
    ]
    spoken = language.lower().partition("-")[0]
    return next((row for row in there if spoken in row.languages), there[0])


def load(path: Path = HELPLINES_FILE) -> tuple[Helpline, ...]:
    """Read the table. Raises HelplineError where a row is incomplete or the international one is missing."""
    rows = tuple(_row(spec) for spec in yaml.safe_load(path.read_text(encoding="utf-8"))["helplines"])
    if not any(row.country == INTERNATIONAL for row in rows):
        raise HelplineError("There is no international row (country: '') to fall back on.")
    return rows


def _row(spec: Mapping[str, Any]) -> Helpline:
    where = f"{spec.get('country', '?')} {spec.get('name', '?')}"
    try:
        row = Helpline(
            country=str(spec["country"]),
            name=str(spec["name"]),
            phone=str(spec.get("phone", "")),
            text=str(spec.get("text", "")),
            text_word=str(spec.get("text_word", "")),
            url=str(spec["url"]),
            emergency=str(spec.get("emergency", "")),
            languages=tuple(spec["languages"]),
            source=str(spec["source"]),
            verified_on=spec["verified_on"],
        )
    except KeyError as error:
        raise HelplineError(f"{where}: {error} is missing.") from error
    if not isinstance(row.verified_on, date):
        raise HelplineError(f"{where}: verified_on is a day, as in 2026-12-01.")
    if not row.phone and row.country != INTERNATIONAL:
        raise HelplineError(f"{where}: a country's row has a phone number.")
    return row


HELPLINES = load()
