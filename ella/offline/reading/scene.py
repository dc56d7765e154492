"""
Reads where things and bodies are after an exchange: what was put down and where, what is in somebody's hand, which
room somebody is in.

Only what can be stood on: a listed thing or a listed place must be named, and figures of speech ("put effort into",
"left my job") name neither. The last state wins.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import islice

from ella.offline.reading.lexicon import FIGURES, PLACES, THINGS, WHEREABOUTS, alternation
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
    found: dict[str, SceneLine] = {}
    only = [thing for thing in standing if thing not in {voice.me, voice.you}]
    latest = only[0] if len(only) == 1 else ""
    for sentence in sentences(message):
        if sentence.asks:
            continue
        latest = _read(message, sentence, voice, found, latest, of_ella=of_ella)
    return {thing: line for thing, line in found.items() if standing.get(thing, "").casefold() != line.state.casefold()}


def _read(
    message: str, sentence: Sentence, voice: Voice, found: dict[str, SceneLine], latest: str, *, of_ella: bool
) -> str:
    """One sentence into `found`. Returns the thing spoken of last, for the next "it"."""
    another_day = any(not _TODAY.match(when.words) for when in times_in(sentence.text))
    for start, segment in _segments(sentence.text):
        before = sentence.text[:start]
        evidence = whole(message, sentence.start + start, sentence.start + start + len(segment))
        if another_day or _NOT_DONE.search(segment) or _supposed(before):
            latest = _mentioned(segment, latest)
            continue
        line, latest = _moved(
            segment, opens=not before.strip(), voice=voice, latest=latest, evidence=evidence, of_ella=of_ella
        )
        if line:
            found.pop(line.thing, None)
            found[line.thing] = line
        body = _BODY.search(segment)
        if body:
            found[voice.me] = SceneLine(voice.me, _whereabouts(body, voice), evidence)
    return latest


def _segments(text: str) -> list[tuple[int, str]]:
    """Pieces of a sentence that each tell one move: "took the phone", "locked it", "tossed it onto the couch"."""
    pieces, begun = [], 0
    for match in islice(_STEP.finditer(text), _STEPS_MOST):
        pieces.append((begun, text[begun : match.start()]))
        begun = match.end()
    pieces.append((begun, text[begun:]))
    return [(start, piece) for start, piece in pieces if piece.strip()]


def _supposed(before: str) -> bool:
    return (
        re.search(r"\b(?:if|imagine|wish|would|should|could|might|dreamt|dreamed|please)\b", before, re.IGNORECASE)
        is not None
    )


def _moved(
    segment: str, *, opens: bool, voice: Voice, latest: str, evidence: str, of_ella: bool
) -> tuple[SceneLine | None, str]:
    placing = _PLACING.search(segment)
    if placing and not _is_order(segment, placing, opens=opens):
        thing = _thing(placing["thing"], latest, voice, of_ella=of_ella)
        if thing and _physical(placing):
            return SceneLine(thing, _state(placing, voice), evidence), thing
    gone = _GONE.search(segment)
    if gone:
        thing = _thing(gone["thing"] or gone["gone"], latest, voice, of_ella=of_ella)
        if thing and _head(thing) in THINGS:
            return SceneLine(thing, "", evidence), thing
    standing = _STANDING.search(segment)
    if standing:
        whose = {"my": voice.me if of_ella else "", "your": voice.you if not of_ella else ""}.get(
            standing["whose"].lower(), ""
        )
        thing = f"{whose}'s {standing['thing'].lower()}" if whose else standing["thing"].lower()
        return SceneLine(thing, _state(standing, voice), evidence), thing
    taking = _TAKING.search(segment)
    if taking:
        thing = _thing(taking["thing"] or taking["it"], latest, voice, of_ella=of_ella)
        if (
            thing
            and _head(thing) in THINGS
            and not re.search(r"\b(?:to|for|into|onto|from) (?:the|my|a)\b", segment[taking.end() :], re.IGNORECASE)
        ):
            return SceneLine(thing, f"in {voice.me}'s hand", evidence), thing
    return None, _mentioned(segment, latest)


def _is_order(segment: str, placing: re.Match[str], *, opens: bool) -> bool:
    """ "Put the phone on the table" asks for it; "left", "threw" and their like only tell."""
    return (
        opens and placing["verb"].lower() in {"put", "set", "leave", "lay"} and not segment[: placing.start()].strip()
    )


def _thing(words: str, latest: str, voice: Voice, *, of_ella: bool) -> str:
    """The name the scene gives a thing. A pronoun is the thing spoken of last, or nothing."""
    plain = " ".join(words.lower().split())
    if plain in {"it", "them"}:
        return latest
    owner = ""
    if of_ella and plain.startswith("my "):
        owner = f"{voice.me}'s "
    elif not of_ella and plain.startswith("your "):
        owner = f"{voice.you}'s "
    bare = re.sub(rf"^{_DETERMINER} ", "", plain)
    bare = re.sub(r"\b(?:own|little|old|new|down|away|back)$", "", bare).strip()
    bare = _head(bare) if bare and _head(bare) in THINGS else bare  # "wet coat" is the coat
    return f"{owner}{bare}" if bare and len(bare) <= 40 else ""


def _head(thing: str) -> str:
    words = thing.split()
    return next((" ".join(words[-size:]) for size in (2, 1) if " ".join(words[-size:]) in THINGS), words[-1])


def _physical(placing: re.Match[str]) -> bool:
    thing = re.sub(rf"^{_DETERMINER} ", "", placing["thing"].lower())
    words = thing.split()
    if any(word in FIGURES for word in (thing, words[-1], words[0])) or placing["at"].lower() in FIGURES:
        return False
    return _head(thing) in THINGS or thing in {"it", "them"} or len(words) <= 2


def _state(placing: re.Match[str], voice: Voice) -> str:
    preposition = placing["prep"].lower()
    for word in ("back ", "right ", "down ", "up ", "out "):
        preposition = preposition.removeprefix(word)
    return voice.owned(f"{_INTO.get(preposition, preposition)} {placing['place']}")


def _whereabouts(body: re.Match[str], voice: Voice) -> str:
    return "at home" if body["home"] else voice.owned(f"{body['prep'].lower()} {body['place']}")


def _mentioned(segment: str, latest: str) -> str:
    """
    What "it" will mean after this segment: the thing it names last; nothing, when it names something that is no thing
    of the scene.
    """
    for match in _MENTIONED.finditer(segment):
        if not match["place"]:
            latest = (match["thing"] or "").lower()
    return latest
