"""
Telephone numbers and addresses in words a person wrote for the boundary table, as links somebody in distress can tap.

For those texts only: a number a model made up must never become a button. It makes no markup, so nothing that was
said can become any.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from boundary.helplines import HELPLINES

# Short codes (988, 112) and whole numbers, however they are grouped; not part of a date, a time or a longer word.
_DIGIT = r"(?:[0-9]|\([0-9]{1,5}\))"
_NUMBER = rf"(?<![\w.,:/+-])\+?{_DIGIT}(?:[ .\u00a0-]?{_DIGIT})*(?![\w:/-])"
_ADDRESS = r"https://[^\s<>\"'«»“”]+"
_LINK = re.compile(f"(?P<address>{_ADDRESS})|(?P<number>{_NUMBER})")
_NOT_OF_AN_ADDRESS = ".,;:!?)]}…"
_DIGITS = range(3, 16)  # E.164 knows no number longer than fifteen


def _digits(number: str) -> str:
    return re.sub(r"[^0-9+]", "", number)


# Nobody answers a call there.
FOR_TEXTS_ONLY = frozenset(_digits(line.text) for line in HELPLINES) - {_digits(line.phone) for line in HELPLINES}
# In some countries the number that saves a life has two digits; elsewhere two digits are minutes or years.
SHORT_NUMBERS = frozenset(line.emergency for line in HELPLINES if 0 < len(line.emergency) < _DIGITS.start)


@dataclass(frozen=True, slots=True)
class Piece:
    """A stretch of text; `href` is empty where it leads nowhere."""

    text: str
    href: str = ""


def pieces_with_links(text: str) -> list[Piece]:
    """The text cut where a link begins or ends; put together again it is the same text."""
    pieces: list[Piece] = []
    end = 0
    for found in _LINK.finditer(text):
        shown, href = _address(found[0]) if found["address"] else _number(found[0])
        if not href:
            continue
        pieces += [Piece(text[end : found.start()]), Piece(shown, href)]
        end = found.start() + len(shown)
    pieces.append(Piece(text[end:]))
    return [piece for piece in pieces if piece.text]


def _address(found: str) -> tuple[str, str]:
    shown = found.rstrip(_NOT_OF_AN_ADDRESS)
    return shown, shown


def _number(found: str) -> tuple[str, str]:
    digits = _digits(found)
    scheme = "sms" if digits in FOR_TEXTS_ONLY else "tel"
    is_one = len(digits.lstrip("+")) in _DIGITS or digits in SHORT_NUMBERS
    return found, f"{scheme}:{digits}" if is_one else ""
