"""
Reads where things and bodies are after an exchange: what was put down and where, what is in somebody's hand, which
room somebody is in.

Only what can be stood on: a listed thing or a listed place must be named, and figures of speech ("put effort into",
"left my job") name neither. The last state wins.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import islice

from ella.offline.reading.lexicon import FIGURES, PLACES, THINGS, WHEREABOUTS, alternation, words
from ella.offline.reading.sentences import Sentence, sentences, whole
from ella.offline.reading.timewords import times_in

_PREPOSITION = (
    r"(?:on top of|on to|onto|on|into|inside|in|at|under|underneath|below|by|next to|beside|behind"
    r"|over|near|against|between|in front of|across|above)"
)
_DETERMINER = r"(?:my|your|the|her|his|our|their|an?|this|that|some|another|both)"
_NOUN = r"[^\W\d_][\w'-]{0,20}(?: [^\W\d_][\w'-]{0,20}){0,3}?"
_PUT = (
    r"(?:put|puts|putting|left|leave|threw|tossed|set|dropped|placed|laid|lay|hung|tucked|stuck|parked"
    r"|stashed|hid|stowed|shoved|slid|propped|leaned|leant|balanced|flung)"
)
_SOMEWHERE = rf"(?P<place>(?:{_DETERMINER} )?(?:[\w'-]{{1,20}} ){{0,2}}?(?P<at>{alternation(PLACES)}))(?![\w-])"
_TOOK = r"(?:took|picked|grabbed|pulled|fished|fetched|lifted|caught|am holding|'m holding|holding|hold)"

# "put the phone down on the table", "tossed it onto the couch"
_PLACING = re.compile(
    rf"\b(?P<verb>{_PUT})(?: (?P<particle>down|away|back|up|out|aside))?"
    rf" (?P<thing>(?:{_DETERMINER} )?{_NOUN}|it|them)"
    rf"(?: (?:face down|upside down|down|away|back|up|out|open|safely|right|again|over|carefully))?"
    rf" (?P<prep>(?:back |right |down |up |out )?{_PREPOSITION}) {_SOMEWHERE}",
    re.IGNORECASE,
)
# "took the phone", "picked up my keys"
_TAKING = re.compile(
    rf"\b{_TOOK}(?: up"
    rf"| out)? (?:{_DETERMINER} )(?:[\w'-]{{1,20}} ){{0,2}}?(?P<thing>{alternation(THINGS)})(?![\w-])"
    rf"|\b{_TOOK}(?: up)? (?P<it>it|them)(?: up| out)?(?= |[,.;!]|\Z)",
    re.IGNORECASE,
)
# "my phone is still on the couch", "the kettle's on the stove"
_STANDING = re.compile(
    rf"\b(?P<whose>my|the|your) (?:[\w'-]{{1,20}} )?(?P<thing>{alternation(THINGS)})(?:'s| is"
    rf"| are) (?:still |now |back |right here |lying |sitting |just )?"
    rf"(?P<prep>{_PREPOSITION}) {_SOMEWHERE}",
    re.IGNORECASE,
)
# "I'm in the kitchen", "I'm home", "I'm on the train"
_BODY = re.compile(
    rf"(?:^|[,;] ?|\b(?:and|but|so|well|because|hi|hey|hello|yes|no|now|ok|okay|right) )I(?:'m"
    rf"| am)(?: just| now| still| back| finally| already| sitting| standing| lying| here"
    rf"| writing this| curled up| waiting| up){{0,3}}"
    rf" (?:(?P<prep>in|at|on|by|under|outside) (?P<place>(?:the |my |a "
    rf"|our )?(?:[\w'-]{{1,16}} )?(?P<at>{alternation(WHEREABOUTS)}))"
    rf"|(?P<home>home))(?! [a-z]{{3,20}}ed\b)(?![\w-])",
    re.IGNORECASE,
)
_GONE = re.compile(
    rf"\b(?:threw|thrown|gave|given) (?P<thing>(?:{_DETERMINER} )?{_NOUN}|it|them) away\b"
    rf"|\bthrew away (?:{_DETERMINER} )?(?P<gone>{alternation(THINGS)})\b",
    re.IGNORECASE,
)
_NOT_DONE = re.compile(
    r"\b(?:not|n't|never|always|usually|often|sometimes|every|if|unless|would|could|should|might"
    r"|may|will|'ll|going to|gonna|want|wanted to|wish|used to|please|let's|let me|can"
    r"|must|maybe|perhaps|imagine|dreamt|dreamed|nearly|almost|forgot to|tried to|trying to"
    r"|plan to|supposed to|had to|have to|need to|hope|wherever|whenever|as if)\b",
    re.IGNORECASE,
)
_TODAY = re.compile(
    r"(?:earlier |later )?(?:today|tonight|this \w+|just now|right now|at the moment|in the \w+)\Z|(?:at|around|by)\s",
    re.IGNORECASE,
)
_MENTIONED = re.compile(
    rf"\b{_DETERMINER} (?:[\w'-]{{1,20}} )?(?:(?P<thing>{alternation(THINGS)})"
    rf"|(?P<place>{alternation(PLACES)}))(?![\w-])|\b{_DETERMINER} (?P<other>[^\W\d_]{{3,20}})",
    re.IGNORECASE,
)
_INTO = {"onto": "on", "on to": "on", "into": "in", "inside": "in"}

# Where one move ends and the next begins.
_STEP = re.compile(
    r"[,;:]\s*(?:and |then |but |so ){0,2}|\s(?:and then|and|then|but|before|after|so|because)\s|\s[-–—]\s"
)
_STEPS_MOST = 24
_NAME_CHARS = 40
_SUPPOSED = re.compile(r"\b(?:if|imagine|wish|would|should|could|might|dreamt|dreamed|please)\b", re.IGNORECASE)
# "took the phone to the shop": it is no longer in anybody's hand.
_ON_ITS_WAY = re.compile(r"\b(?:to|for|into|onto|from) (?:the|my|a)\b", re.IGNORECASE)
_DETERMINED = re.compile(rf"^{_DETERMINER} ")
_QUALIFIED = re.compile(r"\b(?:own|little|old|new|down|away|back)$")
_ADVERB = re.compile(r"^(?:(?:back|right|down|up|out) )+")
_PRONOUNS = frozenset({"it", "them"})
_ORDERS = frozenset({"put", "set", "leave", "lay"})
_CARRIED = words("places", "carried")
_NEVER_IT = words("places", "never_it")


@dataclass(frozen=True, slots=True)
class SceneLine:
    thing: str
    state: str
    evidence: str


@dataclass(frozen=True, slots=True)
class Voice:
    """Who writes the message, and to whom: what "my" and "your" mean in it."""

    me: str
    you: str

    def owned(self, words: str) -> str:
        """A place told in the first person, told so that anybody can read it: "my bag" → "Ana's bag"."""
        replaced = re.sub(r"\bmy\b|\bour\b", f"{self.me}'s", words, flags=re.IGNORECASE)
        return re.sub(r"\byour\b", f"{self.you}'s", replaced, flags=re.IGNORECASE)


def scene_of(message: str, voice: Voice, standing: Mapping[str, str], *, of_ella: bool = False) -> dict[str, SceneLine]:
    """
    The last state of each thing the message moves or places, by thing. `standing` is the scene before it: what "it"
    may mean when nothing else was named.

    What stands there already is left out: a reading tells changes.
    """
    reader = _Reader(message, voice, [thing for thing in standing if thing not in {voice.me, voice.you}], of_ella)
    for sentence in sentences(message):
        if not sentence.asks:
            reader.read(sentence)
    return {
        thing: line
        for thing, line in reader.found.items()
        if standing.get(thing, "").casefold() != line.state.casefold()
    }


class _Reader:
    """Goes through one message and remembers what "it" means by now."""

    def __init__(self, message: str, voice: Voice, standing: Sequence[str], of_ella: bool) -> None:
        self.found: dict[str, SceneLine] = {}
        self._message = message
        self._voice = voice
        self._of_ella = of_ella
        carried = [thing for thing in standing if thing in _CARRIED]
        only = standing if len(standing) == 1 else carried
        self._it = only[0] if len(only) == 1 else ""
        self._it_was_named = False

    def read(self, sentence: Sentence) -> None:
        another_day = any(not _TODAY.match(when.words) for when in times_in(sentence.text))
        for start, segment in _segments(sentence.text):
            before = sentence.text[:start]
            if another_day or _NOT_DONE.search(segment) or _SUPPOSED.search(before):
                self._mention(segment)
                continue
            begun = sentence.start + start
            evidence = whole(self._message, begun, begun + len(segment))
            moved = (
                self._placed(segment, opens=not before.strip())
                or self._thrown_away(segment)
                or self._standing(segment)
                or self._taken(segment)
            )
            if moved:
                self._keep(*moved, evidence)
            else:
                self._mention(segment)
            body = _BODY.search(segment)
            if body:
                place = "at home" if body["home"] else self._voice.owned(f"{body['prep'].lower()} {body['place']}")
                self.found[self._voice.me] = SceneLine(self._voice.me, place, evidence)

    def _keep(self, thing: str, state: str, evidence: str) -> None:
        self.found.pop(thing, None)  # the last change stands last
        self.found[thing] = SceneLine(thing, state, evidence)
        self._it, self._it_was_named = thing, True

    def _mention(self, segment: str) -> None:
        """Something was named: from now on "it" is that thing, or nothing when the scene knows no such thing."""
        for match in _MENTIONED.finditer(segment):
            if not match["place"]:
                self._it, self._it_was_named = (match["thing"] or "").lower(), True

    def _placed(self, segment: str, *, opens: bool) -> tuple[str, str] | None:
        placing = _PLACING.search(segment)
        if placing is None or not _physical(placing):
            return None
        # "Put the phone on the table" asks for it; "left", "threw" and their like only tell.
        if opens and placing["verb"].lower() in _ORDERS and not segment[: placing.start()].strip():
            return None
        if placing["thing"].lower() in _PRONOUNS and not self._it_was_named and placing["at"].lower() in _NEVER_IT:
            return None
        thing = self._thing(placing["thing"])
        return (thing, self._place(placing)) if thing else None

    def _thrown_away(self, segment: str) -> tuple[str, str] | None:
        gone = _GONE.search(segment)
        thing = self._thing(gone["thing"] or gone["gone"]) if gone else ""
        return (thing, "") if thing and _head(thing) in THINGS else None

    def _standing(self, segment: str) -> tuple[str, str] | None:
        standing = _STANDING.search(segment)
        if standing is None:
            return None
        return self._owner(standing["whose"].lower()) + standing["thing"].lower(), self._place(standing)

    def _taken(self, segment: str) -> tuple[str, str] | None:
        taking = _TAKING.search(segment)
        if taking is None or _ON_ITS_WAY.search(segment, taking.end()):
            return None
        thing = self._thing(taking["thing"] or taking["it"])
        return (thing, f"in {self._voice.me}'s hand") if thing and _head(thing) in THINGS else None

    def _thing(self, words: str) -> str:
        """The name the scene gives a thing. A pronoun is the thing spoken of last, or nothing."""
        plain = " ".join(words.lower().split())
        if plain in _PRONOUNS:
            return self._it
        bare = _QUALIFIED.sub("", _DETERMINED.sub("", plain)).strip()
        bare = _head(bare) if bare and _head(bare) in THINGS else bare  # "wet coat" is the coat
        return self._owner(plain.split(" ", 1)[0]) + bare if bare and len(bare) <= _NAME_CHARS else ""

    def _owner(self, determiner: str) -> str:
        """What is Ella's is called hers, in her own words and in the person's; what is the person's needs no owner."""
        if determiner == ("my" if self._of_ella else "your"):
            return "Ella's "
        return ""

    def _place(self, match: re.Match[str]) -> str:
        preposition = _ADVERB.sub("", match["prep"].lower())
        return self._voice.owned(f"{_INTO.get(preposition, preposition)} {match['place']}")


def _segments(text: str) -> list[tuple[int, str]]:
    """Pieces of a sentence that each tell one move: "took the phone", "locked it", "tossed it onto the couch"."""
    pieces, begun = [], 0
    for match in islice(_STEP.finditer(text), _STEPS_MOST):
        pieces.append((begun, text[begun : match.start()]))
        begun = match.end()
    pieces.append((begun, text[begun:]))
    return [(start, piece) for start, piece in pieces if piece.strip()]


def _head(thing: str) -> str:
    words = thing.split()
    return next((" ".join(words[-size:]) for size in (2, 1) if " ".join(words[-size:]) in THINGS), words[-1])


def _physical(placing: re.Match[str]) -> bool:
    """Whether something was really put somewhere: no figure of speech, and at least the thing or its kind is known."""
    thing = _DETERMINED.sub("", placing["thing"].lower())
    words = thing.split()
    if any(word in FIGURES for word in (thing, words[-1], words[0])) or placing["at"].lower() in FIGURES:
        return False
    return _head(thing) in THINGS or thing in _PRONOUNS or len(words) <= 2
