"""
Excerpts of what was said: the tail, not the head, because a reply ends in the state it leaves behind. Never a
summary, and never a word that was not there.
"""

from __future__ import annotations

import re

from ledger.fencing import fence

# The tail kept of one long message, in characters (the range the devlog found to hold the last state and to lose the
# drama before it).
TAIL_MIN = 700
TAIL_MAX = 1_200

LABELS = (
    "LATEST EXCHANGE",
    "SCENE STATE",
    "CHARACTER / WORLD SNAPSHOT",
    "YOUR RECENT THOUGHTS",
    "RECENT CHAT",
    "THE PERSON",
)

_FENCED_BLOCK = re.compile(r"```.*?(?:```|\Z)", re.DOTALL)
_HIDDEN_STATE = re.compile(
    r"<(state|hidden|status|thinking|scratchpad)\b[^>]*>.*?(?:</\1\s*>|\Z)", re.DOTALL | re.IGNORECASE
)
_JSON_LINE = re.compile(r"^[ \t]*[\[{][^\n]*[\":][^\n]*[\]}][ \t]*$", re.MULTILINE)
_STATUS_LINE = re.compile(
    r"^[ \t]*(?:\[[^\]\n]{0,80}\]|[A-Z][A-Za-z ]{0,20}:[ \t]*\d{1,3}[ \t]*(?:/[ \t]*\d{1,3}|%))[ \t]*$", re.MULTILINE
)
_STAGE_SENSES = re.compile(r"\*[^*\n]{1,200}\*")
_BLANK_RUN = re.compile(r"\n{3,}")
_SENTENCE_START = re.compile(r"(?<=[.!?…。！？])[\"'”’)\]]*\s+|\n+")
_BRACKETED = re.compile(r"[\[［【⟦]\s*([^\[\]［］【】⟦⟧\n]{1,60}?)\s*[\]］】⟧]")
_LABEL_WORDS = {re.sub(r"[^A-Z]", "", label) for label in LABELS}


def strip_noise(text: str) -> str:
    """
    A reply without status blocks, hidden-state JSON and stage directions. Returns the text unchanged rather than
    nothing at all.
    """
    clean = text
    for pattern in (_FENCED_BLOCK, _HIDDEN_STATE, _JSON_LINE, _STATUS_LINE, _STAGE_SENSES):
        clean = pattern.sub("", clean)
    clean = _BLANK_RUN.sub("\n\n", clean).strip()
    return clean or text.strip()


def tail(text: str) -> str:
    """
    The last `TAIL_MIN` to `TAIL_MAX` characters of `text`, begun at a sentence where one begins in that range.

    A text that is short enough comes back whole. A cut one opens with an ellipsis, so that nobody takes it for the
    beginning.
    """
    if len(text) <= TAIL_MAX:
        return text
    region = text[-TAIL_MAX:]
    for match in _SENTENCE_START.finditer(region):
        if len(region) - match.end() < TAIL_MIN:
            break
        if match.end() > 0:
            return "… " + region[match.end() :]
    cut = region.find(" ")
    return "… " + (region[cut + 1 :] if 0 <= cut <= TAIL_MAX - TAIL_MIN else region[2:])


def ella_excerpt(text: str) -> str:
    """One of Ella's messages as every later prompt shows it: the same bytes whether it is the latest or a month old."""
    return tail(strip_noise(text))


def defuse_labels(text: str) -> str:
    """
    `text` with every imitation of a section label made visibly not one. The message itself, in the database, keeps
    its brackets.
    """

    def swap(match: re.Match[str]) -> str:
        letters = re.sub(r"[^A-Z]", "", match.group(1).upper())
        return f"⟦{match.group(1)}⟧" if letters in _LABEL_WORDS else match.group(0)

    return _BRACKETED.sub(swap, text)


def quoted(text: str) -> str:
    """Somebody's words as data on one line: fenced, so that they can neither close the quotation nor open a section."""
    return f"«{fence(text)}»"
