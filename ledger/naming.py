"""
Names of those who promise and feel: how one is stored, shown in a line, and told to be the same as another. A name is
data like any other; it never carries an arrow, a colon or a quotation mark into a line.
"""

from __future__ import annotations

import re
import unicodedata

from ledger.fencing import fence, one_line

NAME_SHOWN_CHARS = 40
# What separates the parts of a line; inside a name it would make one line look like another.
_SEPARATORS = str.maketrans(dict.fromkeys("→:·=«»‹›|", " "))

# Only Latin: in other scripts a mark makes another letter (Cyrillic и and й).
_ACCENTS = re.compile("([a-z])[\u0300-\u036f]+")


def shown_name(name: str) -> str:
    return one_line(fence(name, NAME_SHOWN_CHARS).translate(_SEPARATORS)) or "?"


def folded(text: str) -> str:
    """
    `text` for comparing: case, compatibility forms and the accents of Latin letters folded, one space between words.
    """
    bare = _ACCENTS.sub(r"\1", unicodedata.normalize("NFKD", one_line(text).casefold()))
    return one_line(unicodedata.normalize("NFKC", bare))
