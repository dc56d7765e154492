"""
Reads promises out of an exchange: what somebody undertakes for the other, and what became of the promises that were
open.

A wish, a plan or a condition is no promise. What ended one is told only of a promise that was listed as open, in its
own words.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from ella.offline.reading.lexicon import either, words
from ella.offline.reading.sentences import sentences, whole
from ella.offline.reading.timewords import times_in, without_times
from ella.offline.reading.verbs import content, stem, tokens

_FOR_YOU = either("verbs", "for_you")
_OFFER = re.compile(
    rf"\b(?:I'll|I will|I shall)(?: definitely| certainly| gladly| also| then| just| be sure to"
    rf"| make sure to| try to)? (?P<verb>{_FOR_YOU})\b (?P<rest>(?:(?:for|of|to|with"
    rf"|about) )?you\b.{{0,200}})",
    re.IGNORECASE,
)
_SWORN = re.compile(
    r"\bI (?:do )?(?:promise|swear)(?: you)?(?: that)?,? (?:(?P<not>not )?to (?P<to>\w.{2,200})"
    r"|(?:that )?I(?:'ll| will| shall) (?P<will>\w.{2,200}))",
    re.IGNORECASE,
)
_SWORN_AFTER = re.compile(
    r"\bI(?:'ll| will| shall) (?P<will>[a-z].{3,160}?),? (?:I promise|promise|I swear)\b", re.IGNORECASE
)
_EMPTY_OFFER = re.compile(
    r"(?:tell you (?:what|that|this|the truth|something)|let you (?:go|be|down|get|off|sleep|rest"
    r"|know if)|give you (?:that|a hug|credit|this)|keep you company|make you \w+$"
    r"|let you know$|keep you (?:posted|updated)$|show you what i|call you (?:a|an|crazy|mad)"
    r"|read you$|ask you (?:this|something|a question)$|think of you$|help you$)",
    re.IGNORECASE,
)
_CONDITION = re.compile(
    r"\b(?:if|unless|wish|would|could|might|maybe|perhaps|when i can|someday|one day|never)\b", re.IGNORECASE
)
# After these the other is only whom it is done for: "send you the photo" promises to send the photo.
_DATIVE = words("verbs", "dative")

_DROPPED = re.compile(
    r"\b(?:forget (?:about )?|never ?mind (?:about )?|don't (?:worry|bother) about |no need (?:to"
    r"|for) |you don't (?:need|have) to |i take back )(?P<what>.{2,80})",
    re.IGNORECASE,
)
_FAILED = re.compile(
    r"\b(?:i|i've|i just|i still)\s+(?:also )?(?:didn't|did not|couldn't|could not|haven't"
    r"|have not|hadn't|never|failed to|forgot(?: to)?|wasn't able to|was not able to"
    r"|haven't managed to"
    r"|didn't manage to|didn't get (?:around|round) to|haven't got (?:around|round) to)\b(?P<what>.{0,100})",
    re.IGNORECASE,
)
_UNABLE = re.compile(
    r"\b(?:i|we)(?:'m| am)? (?:can't|cannot|won't be able to|not able to|won't)\b(?P<what>.{2,100})", re.IGNORECASE
)
_POSTPONED = re.compile(
    r"\b(?:let me move it|can (?:i|we) (?:move|do|make)|let's move|move it|(?:i'll|i will"
    r"|can i) .{2,60}\binstead|not today)\b",
    re.IGNORECASE,
)
_HERE = re.compile(
    r"\b(?:here(?:'s| is| are| comes?| you go)|attached)\b(?P<what>.{0,80})|\[(?P<shown>photo|picture|image)",
    re.IGNORECASE,
)
_POINTING = re.compile(r"\b(?:it|them|that|one)\b", re.IGNORECASE)
_SHOWN_BY = frozenset(map(stem, ("send", "show", "share", "bring", "forward", "post")))


@dataclass(frozen=True, slots=True)
class OpenPromise:
    who: str
    to: str
    what: str


@dataclass(frozen=True, slots=True)
class PromiseNews:
    change: str
    who: str
    to: str
    what: str
    when: str
    evidence: str


def promises_of(message: str, who: str, names: dict[str, str], pending: Iterable[OpenPromise]) -> list[PromiseNews]:
    """
    What `who` ("person" or "ella") promises or settles in a message. `names` maps "person" and "ella" to how they are
    called.

    `pending` are the open promises; only their maker's words settle one, save that the other may let it go.
    """
    news: list[PromiseNews] = []
    settled: set[str] = set()
    for promise in pending:
        change = _settled(message, promise) if promise.who == who else _released(message, promise)
        if change:
            settled.add(promise.what)
            news.append(change)
    other = "ella" if who == "person" else "person"
    for sentence in sentences(message):
        made = None if sentence.asks else _made(sentence.text, names[other])
        if made is None:
            continue
        what, when, start, end = made
        if not any(_same(what, promise.what) for promise in pending) and not any(
            _same(what, each.what) for each in news
        ):
            news.append(
                PromiseNews(
                    "made", who, other, what, when, whole(message, sentence.start + start, sentence.start + end)
                )
            )
    return news


def _made(text: str, other_name: str) -> tuple[str, str, int, int] | None:
    """The promise a sentence makes: what, the words for a time, and where its words stand."""
    if _CONDITION.search(text):
        return None
    sworn = _SWORN.search(text) or _SWORN_AFTER.search(text)
    if sworn:
        groups = sworn.groupdict()
        name = "to" if groups.get("to") else "will"
        return _undertaking(sworn[name], sworn.start(name), sworn.start(), other_name, negated=bool(groups.get("not")))
    offer = _OFFER.search(text)
    if offer:
        words = f"{offer['verb']} {offer['rest']}"
        if _EMPTY_OFFER.match(" ".join(words.rstrip(" .!").split())):
            return None
        return _undertaking(words, offer.start("verb"), offer.start(), other_name, negated=False)
    return None


def _undertaking(
    words: str, at: int, start: int, other_name: str, *, negated: bool
) -> tuple[str, str, int, int] | None:
    """
    `words` cut to one deed and told so that it can be read without the other person: "send you the photo tomorrow" →
    "send the photo".
    """
    clause = _deed(words)
    when = next((time.words for time in times_in(clause)), "")
    what, _ = without_times(clause)
    what = re.sub(
        r"\s+(?:afterwards|afterward|later|then|soon|again|too|as well)\b", "", what.strip(" .!,;"), flags=re.IGNORECASE
    )
    verb = what.split(" ", 1)[0].lower()
    what = re.sub(
        r"^(\w+) you\b",
        r"\1" if verb in _DATIVE and len(what.split()) > 2 else rf"\1 {other_name}",
        what,
        flags=re.IGNORECASE,
    )
    what = re.sub(r"\byou\b", other_name, what, flags=re.IGNORECASE)
    what = re.sub(r"\byour\b", f"{other_name}'s", what, flags=re.IGNORECASE)
    if (
        len(what.split()) < 2
        or len(what.split()) > 14
        or what.split()[-1].lower() in {"you", "it", "that", "to", "the"} | {"a"}
    ):
        return None
    return f"{'not ' if negated else ''}{what[0].lower()}{what[1:]}", when, start, at + len(clause)


def _deed(words: str) -> str:
    """One deed: up to the end of its clause. What is asked or told belongs to it ("ask how it went")."""
    stop = re.search(
        r"[.!?;,]|\s[-–—]\s|\s(?:because|but|so|and (?:i|we|then|it|you)|when|once|as soon as|after you)\b",
        words,
        re.IGNORECASE,
    )
    return words[: stop.start()] if stop else words


def _settled(message: str, promise: OpenPromise) -> PromiseNews | None:
    """What its maker says of an open promise: kept, broken, moved or withdrawn."""
    wanted = content(promise.what)
    if not wanted:
        return None
    shown = _HERE.search(message)
    for sentence in sentences(message):
        text = sentence.text
        dropped = _DROPPED.search(text)
        if dropped and _overlap(dropped["what"], wanted):
            return _news("withdrawn", promise, whole(message, sentence.start, sentence.start + len(text)))
        if not _speaks_of(text, promise, wanted):
            continue
        evidence = whole(message, sentence.start, sentence.start + len(text))
        when = next((time.words for time in times_in(text)), "")
        if _POSTPONED.search(message) and when:
            return _news("moved", promise, evidence, when)
        if sentence.asks and stem("ask") not in map(stem, tokens(promise.what)):
            continue
        if _UNABLE.search(text):
            return _news("withdrawn", promise, evidence)
        if _FAILED.search(text):
            return _news("broken", promise, evidence)
        if _done(text, promise) or (shown and shown["what"] and _SHOWN_BY & set(map(stem, tokens(promise.what)))):
            return _news("kept", promise, evidence)
    return None


def _released(message: str, promise: OpenPromise) -> PromiseNews | None:
    """The other lets somebody off a promise: "forget about the photo"."""
    for sentence in sentences(message):
        dropped = _DROPPED.search(sentence.text)
        if dropped and _overlap(dropped["what"], content(promise.what)):
            return _news("withdrawn", promise, whole(message, sentence.start, sentence.start + len(sentence.text)))
    return None


def _news(change: str, promise: OpenPromise, evidence: str, when: str = "") -> PromiseNews:
    return PromiseNews(change, promise.who, promise.to, promise.what, when, evidence)


def _speaks_of(text: str, promise: OpenPromise, wanted: list[str]) -> bool:
    """
    Whether a sentence is about the promise: most of its words, or its deed with a pronoun for the rest ("didn't
    manage to send it").
    """
    said = set(content(text)) | set(map(stem, tokens(text)))
    if stem(tokens(promise.what)[0]) in said and _POINTING.search(text):
        return True
    hits = sum(word in said for word in wanted)
    return hits >= max(1, (len(wanted) + 1) // 2) and (hits >= 2 or len(wanted) == 1)


def _done(text: str, promise: OpenPromise) -> bool:
    """Whether the deed of the promise is told in the past: "I sent you the photo", "I said I would ask how it went"."""
    deed = stem(tokens(promise.what)[0])
    told = re.search(r"\bI(?:'ve| have)?(?: just| finally| already| also| did)? ?(?P<verb>\w+)", text)
    if (
        told
        and stem(told["verb"].lower()) == deed
        and (told["verb"].lower() != tokens(promise.what)[0] or "'ve" in told.group() or deed == "read")
    ):
        return True
    return deed == "ask" and (
        text.rstrip().endswith("?") or re.search(r"\bI said I(?:'d| would) ask\b", text, re.IGNORECASE) is not None
    )


def _overlap(text: str, wanted: list[str]) -> bool:
    return bool(set(content(text)) & set(wanted))


def _same(one: str, other: str) -> bool:
    left, right = set(content(one)), set(content(other))
    return bool(left) and left == right
