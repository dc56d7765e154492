"""
Cuts what a statement is about out of the rest of its sentence: short, without the clause that follows, without times, fillers and pronouns.

It refuses rather than guesses: a cut that leaves only a pronoun, a filler or half a thought gives nothing.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from ella.offline.reading.timewords import When, without_times

MAX_WORDS = 10

_PRONOUNS = r"(?:i|i'm|i've|i'll|i'd|we|we're|we've|it|it's|he|he's|she|she's|they|they're|you|you're|this|that|that's|these|those|there|my|our|his|her|their)"
_STOP = re.compile(
    r"[,;:()!?\n]|\.(?=\s|\Z)|…|\s[-–—]{1,3}\s|[–—]|--|-\s|\s\*|\s?[\U0001F300-\U0001FAFF☀-➿]"
    r"|\s+(?:because|cause|'cause|cuz|bc|but|so|which|who|whom|whose|while|when|whenever|since|although|though|if|unless|until|till|'til|whereas|where|before|after"
    r"|as (?:i|we|it|he|she|they|you|soon|well|much|long|far|if|though|always|usual)|than|that|how|why|what|due to|thanks to|hoping|thinking|hence|plus|lol|haha|btw|tbh|etc|otherwise|instead|except|given)\b"
    rf"|\s+(?:and|or|&|then)\s+(?={_PRONOUNS}\b|(?:am|is|are|was|were|be|been|had|have|has|did|do|does|can|could|will|would|should|then|now|also|so|really|just|even|not"
    r"|never|still|got|felt|met|saw|made|took|went|came|found|started|decided|realized|realised|want|need|love|like|hate|hope|think|feel|get|let|see|look|try|thinking"
    r"|feeling|looking|trying|hoping|wondering|everyone|everything|nobody|nothing|all)\b)"
    rf"|\s+(?={_PRONOUNS}\s+(?:am|is|are|was|were|have|had|has|do|did|can|could|will|would|go|went|made|got|need|love|like|want)\b)"
    r"|\s+(?=(?:i|i'm|i've|we|it's|he's|she's|they|they're|i'd|we're|we've)\b)",
    re.IGNORECASE,
)
_AND = re.compile(r"\s+(?:and|&)\s+", re.IGNORECASE)
_TRAILING = re.compile(
    r"[\s\"'.]*\b(?:too|now|again|lately|recently|though|really|actually|as well|you know|haha|lol|also|already|anyway|these days|at last|currently|nowadays|right|ok"
    r"|okay|please|today|soon|still|then|here|there|together|so much|very much|a lot|a bit|or something|or so|and stuff|of course|for sure|for now|the most|most|best|more|"
    r"even more|the|an?|my|our|his|her|their|your|to|of|in|on|at|for|with|and|or|by|from|into|about|like|just|only|this|some|any|no|not|is|are|was|yet|ever|once|finally"
    r"|up ahead|in general|in particular|every|each|usually|be)[\s.]*\Z",
    re.IGNORECASE,
)
_LEADING = re.compile(
    r"(?:just|really|so|also|now|finally|actually|like|kind of|kinda|still|currently|already|even|maybe|well|both|all|basically)\s+",
    re.IGNORECASE,
)
_NOT_AN_OBJECT = re.compile(
    r"(?:it|its|it's|that|that's|this|these|those|them|they|him|her|he|she|you|your|yours|me|us|we|i|myself|here|there|one|ones|how|what|when|where|why|who|whom|whoever"
    r"|whatever|everything|anything|something|nothing|everyone|someone|anyone|everybody|somebody|nobody|so|such|all|both|some|any|none|more|most|much|many|lots|stuff"
    r"|things?|the (?:way|fact|idea|best|same|one|thing|most|worst|rest|other|part|first|whole)|a (?:lot|bit|little|few|ton|way|while|thing|shot|go)|an? (?:idea|feeling)"
    r"|no|not|never|being|to be|lots of|loads of|kind of|sort of|wow|good|great|nice|fine|ok|okay)\b",
    re.IGNORECASE,
)
_ARTICLE = re.compile(r"(?:an?|the|some|my|our)\s+", re.IGNORECASE)
_CUT_BEFORE = re.compile(
    r"\s+(?:in|on|at|to|for|with|of|from|by|about|near|around|during|through|into|over|and|or|to\s+\w+)\s",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Object:
    """What was said, and the time named inside it. `length` is how much of the text it took, for the evidence."""

    text: str
    when: When | None
    length: int

    @property
    def words(self) -> list[str]:
        return self.text.split()

    @property
    def head(self) -> str:
        """Its last word, lower case: what a noun phrase is."""
        return self.words[-1].lower().strip("\"'.") if self.text else ""


def cut_object(text: str, *, single_action: bool = False) -> Object | None:
    """
    What `text` opens with, up to the end of its clause, or nothing.

    With `single_action` every "and" ends it: "went to the market and bought bread" tells two things. At most `MAX_WORDS` words; a longer one is cut before a preposition.
    """
    stop = _STOP.search(text)
    length = stop.start() if stop else len(text)
    if single_action:
        joined = _AND.search(text, 0, length)
        length = joined.start() if joined else length
    told, when = without_times(text[:length])
    told = _trimmed(told)
    told = _shortened(told)
    if not told or _NOT_AN_OBJECT.fullmatch(told) or not any(letter.isalnum() for letter in told):
        return None
    return Object(told, when, length)


def opens_vaguely(text: str) -> bool:
    """Whether an object begins with a word that points elsewhere ("it", "your", "the way …")."""
    return _NOT_AN_OBJECT.match(text) is not None


def without_article(text: str) -> str:
    match = _ARTICLE.match(text)
    return text[match.end() :] if match else text


def _trimmed(text: str) -> str:
    text = text.strip(" \n\"'.*_~")
    for _ in range(4):
        lead = _LEADING.match(text)
        if lead is None:
            break
        text = text[lead.end() :]
    for _ in range(6):
        tail = _TRAILING.search(text)
        if tail is None:
            break
        text = text[: tail.start()].rstrip()
    return text.strip(" \n.*_~'")


def _shortened(text: str) -> str:
    words = text.split()
    if len(words) <= MAX_WORDS:
        return text
    room = " ".join(words[:MAX_WORDS])
    cuts = [match.start() for match in _CUT_BEFORE.finditer(f"{room} ")]
    return _trimmed(room[: cuts[-1]]) if cuts and cuts[-1] > 0 else ""
