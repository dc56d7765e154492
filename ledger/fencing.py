"""
Makes words that came from outside safe to show inside a prompt. It never judges what the words say: it only takes away
what could break a line, end a quotation, open a section or imitate a label. Every wing that writes data into a prompt
goes through `fence`.
"""

from __future__ import annotations

import re

FENCE_LIMIT = 2_000

# Characters that show nothing: zero width, tag characters (text hidden in a flag), extra variation selectors,
# interlinear marks.
_INVISIBLE = re.compile(
    "[\u00ad\u034f\u180b-\u180e\u200b\u2060-\u2065\u206a-\u206f\ufeff\ufff9-\ufffb\U000e0000-\U000e0fff]"
)
# Whitespace of every kind, C0 and C1 controls, line and paragraph separators, bidirectional controls, and letters drawn
# as nothing.
_GAP = re.compile(
    "[\\s\u0000-\u001f\u007f-\u009f\u061c\u115f\u1160\u200e\u200f\u2028-\u202e\u2066-\u2069\u2800\u3164\uffa0]+"
)
_LONE_SURROGATE = re.compile("[\ud800-\udfff]")
# Joiners belong inside a word (Persian, Devanagari) or an emoji, never at an edge, where they are only a blank that is
# not empty.
_EDGES = " \u200c\u200d"

# What ends the quotation marks of a fenced text, and what a label opens and closes with, in every width and cut a
# reader would take for it.
_MARKS = str.maketrans(
    dict.fromkeys("«≪《⟪︽", "‹")
    | dict.fromkeys("»≫》⟫︾", "›")
    | dict.fromkeys("[［【〔〖〚❲⁅﹝︹︻﹇⦋⦍⦏", "⟦")
    | dict.fromkeys("]］】〕〗〛❳⁆﹞︺︼﹈⦌⦎⦐", "⟧")
)


def one_line(text: str) -> str:
    """
    `text` on one line, safe to store and to compare.

    Gaps of any kind become single spaces, invisible characters go, lone surrogates become U+FFFD. Idempotent.
    """
    return _GAP.sub(" ", _LONE_SURROGATE.sub("\ufffd", _INVISIBLE.sub("", text))).strip(_EDGES)


def fence(text: str, limit: int = FENCE_LIMIT) -> str:
    """
    `text` as it may stand between « and » in a prompt: one line, at most `limit` characters, no bracket or quotation
    mark that could pose as ours.

    A text that is cut ends in an ellipsis. Idempotent. The caller sets the outer marks.
    """
    line = one_line(text).translate(_MARKS)
    if len(line) <= limit:
        return line
    return line[: limit - 1].rstrip(_EDGES) + "…"
