"""
Ella's reply, put together from lines written by hand and from what the prompt holds: what is due today, the answer or
the acknowledgement, and now and then something of her own day.

It uses the prompt in its rank (the message, the scene, the facts, the thoughts, older chat), says plainly when the
prompt has no answer, and adds nothing about the person.
"""

from __future__ import annotations

import re

from ella.offline.reading.facts import Fact, facts_of_person
from ella.offline.reading.lexicon import THINGS, load
from ella.offline.reading.mirror import both_ways, by_name, sayable
from ella.offline.reading.occasions import Occasion, occasion_of, question_kind, thing_asked
from ella.offline.reading.phrasing import is_hers, sentence
from ella.offline.reading.promises import OpenPromise, PromiseNews, promises_of
from ella.offline.reading.prompt import FactLine, Prompt
from ella.offline.reading.recall import answer_to, known_person
from ella.offline.reading.scene import SceneLine, Voice, scene_of
from ella.offline.reading.topic import topic_of
from ella.offline.reading.verbs import content, is_base_form
from ella.offline.reading.wording import Wording

_MOST_SENTENCES = 4
_OWN_DAY: list[dict[str, str]] = load("own_day")["lines"]
_QUIET = frozenset({"goodbye", "apology", "short_yes", "short_no", "laugh"})
_WEIGHTY = frozenset({"bad_news", "low_mood", "care"})
_WITH_TOPIC = frozenset({"good_news", "bad_news", "plan", "project", "did", "reflection", "general"})
_OF_ANY_TOPIC = frozenset({"reflection", "general"})
_NOTHING_TO_ASK = frozenset({"thanks", "compliment", "praise", "sympathy", "photo", "wish", "reflection", "greeting"})
_NOT_BROUGHT_UP = frozenset({"name", "lives_in", "hometown", "birthplace", "job", "employer", "age", "language"})
_CORRECTING = re.compile(r"(?:^|[.!?\n]\s*)(?:no|nope|actually|correction)\b[^.!?\n]{0,12}\Z", re.IGNORECASE)
_ARTICLE = re.compile(r"^(?:an?|the|my|our) ", re.IGNORECASE)
_ANOTHERS = re.compile(r"['’]s\b|\b(?:you|your)\b", re.IGNORECASE)
_MARKS = re.compile(r"[«»‹›⟦⟧\[\]\x00-\x1f]")
_ENDS = re.compile(r"[.!?…](?:\s|\Z)")


def reply_to(prompt: Prompt) -> str:
    """One to four sentences. Never empty, never what she said last, never a mark of the prompt."""
    return _Reply(prompt).text()


class _Reply:
    def __init__(self, prompt: Prompt) -> None:
        self.prompt = prompt
        self.wording = Wording(prompt)
        self.occasion: Occasion = occasion_of(prompt.message)
        known = [f"{fact.subject} · name = {fact.object}" for fact in prompt.facts if fact.predicate == "name"]
        listed = {(fact.subject, fact.predicate, fact.object.casefold()) for fact in prompt.facts}
        told = facts_of_person(prompt.message, known)
        self.facts = [
            fact
            for fact in told
            if fact.subject.split(".")[0] != "user"
            or (fact.subject, fact.predicate, fact.object.casefold()) not in listed
        ]
        self.scene = scene_of(prompt.message, Voice(prompt.name or "the person", "Ella"), prompt.scene)
        self.promises = self._promise_news()
        self.parts: list[str] = []

    def text(self) -> str:
        if self.occasion.whole:
            self._say(self.wording.line(self.occasion.whole))
        else:
            self._acknowledge_or_answer()
            if not self._settle():
                self._add_of_her_own()
        if not self.parts:
            self._say(self.wording.line("general"))
        return self._unlike_before(_MARKS.sub("", " ".join(self.parts)))

    def _unlike_before(self, text: str) -> str:
        """The same question has the same answer, but she never writes the same message twice."""
        before = set(self.prompt.said_by_ella)
        for _ in range(len(before) + 1):
            if text not in before:
                break
            text = f"{self.wording.line('again')} {text}"
        return text

    def _say(self, line: str) -> None:
        """Add a line while there is room: a reply has at most four sentences, and its first line always stands."""
        told = sum(len(_ENDS.findall(part)) for part in (*self.parts, line))
        if line and line not in self.parts and (not self.parts or told <= _MOST_SENTENCES):
            self.parts.append(line)

    # What is due today

    def _promise_news(self) -> list[PromiseNews]:
        names = {"person": self.prompt.name or "the person", "ella": "Ella"}
        pending = [
            OpenPromise("ella" if each.who == "Ella" else "person", each.to, each.what) for each in self.prompt.promises
        ]
        return promises_of(self.prompt.message, "person", names, pending)

    def _settle(self) -> bool:
        """What is due today is spoken of, whatever else the reply is about. Whether there was any."""
        settled = {news.what for news in self.promises if news.change != "made"}
        if any(news.change == "kept" for news in self.promises):
            self.parts.append(self.wording.line("settle_kept"))
        for promise in self.prompt.promises:
            if not promise.settle_today or promise.what in settled:
                continue
            hers = promise.who == "Ella"
            what = by_name(promise.what if hers else both_ways(promise.what), self.prompt.name)
            occasion = ("settle_ask" if what.startswith("ask ") else "settle_own") if hers else "settle_theirs"
            self.parts.append(self.wording.line(occasion, {"what": what.replace("ask how", "ask you how", 1)}))
            return True
        return bool(settled)

    # The answer, or the acknowledgement

    def _acknowledge_or_answer(self) -> None:
        asked = self.occasion.question
        after_pet = asked is not None and question_kind(asked) == "ask_pet"
        answer = answer_to(asked, self.prompt) if asked and not after_pet else None
        if answer:
            self._say(answer)
            return
        kind = question_kind(asked) if asked else ""
        if kind == "guess_what" and self.occasion.said:
            asked = None
        in_passing = kind in {"ask_her_unknown", "unknown_general", "reflection", "guess_what"}
        empty = self.occasion.statement in {"general", "photo", "greeting"} and not self._told()
        if not (empty and asked and (in_passing or kind == "ask_day")):
            self._acknowledge()
        if asked is None or (in_passing and self.parts and self.wording.number("in passing", 2)):
            return  # what was told has been answered; a question in passing need not be
        if kind == "ask_pet" and "pet" not in self.wording.fill:
            kind = "ask_her_unknown"
        thing = thing_asked(asked)
        self._say(
            self.wording.line(
                kind,
                {
                    "thing": f"your {thing}" if asked.mine else f"the {thing}",
                    "is": _is(thing),
                    "it": "it" if _is(thing) == "is" else "them",
                },
            )
        )
        if kind in {"ask_day", "ask_thinking"}:
            self._say(self._own_day())

    def _acknowledge(self) -> None:
        kind, words = self._kind()
        if not kind:
            return
        topic = words.get("topic") or (topic_of(self.occasion.said) if kind in _OF_ANY_TOPIC else "")
        if topic and kind in _WITH_TOPIC and self.wording.number("topic", 4):
            line = self.wording.line(f"{kind}_topic", {**words, "topic": topic}, fresh=True)
            if line:
                self._say(line)
                return
        self._say(self.wording.line(kind, words))

    def _kind(self) -> tuple[str, dict[str, str]]:
        """What the statement is, and the words its lines may use."""
        kind = self.occasion.statement
        if self.prompt.care and kind:
            return "care", {}
        told = self._told()
        if kind in _WEIGHTY or kind == "apology":
            return kind, told[1] if told else {}
        if self.scene:
            return self._placed(list(self.scene.values())[-1])
        ended = next((news.change for news in self.promises if news.change not in {"made", "kept"}), "")
        if ended:
            return f"promise_{ended}", {}
        if any(news.change == "made" for news in self.promises):
            return "promised", {}
        if told and not (kind == "good_news" and told[0] in {"did", "told_fact"}):
            return told
        return kind, told[1] if told else {}

    def _placed(self, line: SceneLine) -> tuple[str, dict[str, str]]:
        place = by_name(line.state, self.prompt.name)
        if line.thing == self.prompt.name:
            return "placed_you", {"place": place}
        named = by_name(line.thing, self.prompt.name)
        thing = named if named.startswith(("my ", "your ")) else f"the {named}"
        return "placed", {"thing": thing, "place": place, "is": _is(named)}

    def _told(self) -> tuple[str, dict[str, str]] | None:
        if not self.facts:
            return None
        fact = self.facts[-1] if self.facts[-1].predicate != "name" else self.facts[0]
        if fact.subject.split(".")[0] != "user":
            return self._claimed(fact)
        topic = topic_of(fact.evidence) or _event_topic(fact)
        if fact.predicate == "plans":
            return "plan", {"topic": topic}
        if fact.predicate in {"did", "working_on"}:
            return ("did" if fact.predicate == "did" else "project"), {"topic": topic}
        before = self.prompt.message[: max(0, self.prompt.message.find(fact.evidence))]
        corrects = _CORRECTING.search(before)
        if fact.predicate == "name" and fact.subject != "user" and not corrects:
            return "told_name", {"x": fact.object}
        said = sentence(FactLine("observed", fact.subject, fact.predicate, fact.object), self.prompt)
        if len(said.split()) > 12:
            return None
        return ("corrected" if corrects else "told_fact"), {"fact": said}

    def _claimed(self, fact: Fact) -> tuple[str, dict[str, str]]:
        """The person says something of her world: what stands there decides, whoever says otherwise."""
        for known in self.prompt.facts:
            if (known.subject, known.predicate) == (fact.subject, fact.predicate) and known.tier != "user_claim":
                agrees = known.object.casefold() == fact.object.casefold()
                kind = "claim_agrees" if agrees else "claim_differs"
                return kind, {"fact": sentence(known, self.prompt)}
        return "claim_new", {}

    # What stands beside it

    def _add_of_her_own(self) -> None:
        statement = self.occasion.statement
        if self.occasion.question and not statement and self.parts:
            if self.wording.number("after answer", 4) == 0:
                self._say(self._own_day())
            return
        if self.prompt.care or statement in _WEIGHTY:
            if self.wording.number("low", 3) == 0 and not any("?" in part for part in self.parts):
                self._say(self.wording.line("question_low", fresh=True))
            return
        if statement in _QUIET:
            return
        self._offer_to_ask()
        self._connect()
        mood = self.wording.number("mood", 10)
        if mood < 4:
            self._say(self._own_day())
        elif mood < 7 and statement not in _NOTHING_TO_ASK and self.occasion.question is None:
            self._say(self._question())

    def _offer_to_ask(self) -> None:
        """A small promise of hers after a plan with a day: to ask how it went. Once for each."""
        plan = next(
            (fact for fact in self.facts if fact.predicate == "plans" and fact.subject == "user" and fact.when), None
        )
        topic = _event_topic(plan) if plan else ""
        if (
            plan is None
            or not topic
            or any(set(content(topic)) <= set(content(promise.what)) for promise in self.prompt.promises)
        ):
            return
        when = _evening(plan.when)
        self._say(self.wording.line("ask_again" if when else "ask_later", {"topic": topic, "when": when}))

    def _connect(self) -> None:
        said = set(content(self.occasion.said))
        lower = f" {self.occasion.said.lower()} "
        for thing, state in self.prompt.scene.items():
            if thing in THINGS and f" {thing} " in lower and thing not in self.scene and state:
                words = {"thing": f"the {thing}", "is": _is(thing), "place": by_name(state, self.prompt.name)}
                self._say(self.wording.line("connect_scene", words, fresh=True))
                return
        for fact in self.prompt.facts if self.wording.number("connects", 2) else ():
            if sayable(fact.object) and self._bears_on(fact, said):
                self._say(
                    self.wording.line(
                        "connect_fact", {"fact": sentence(fact, self.prompt)}, fresh=not self._has_said(fact)
                    )
                )
                return
        who = known_person(said, self.prompt)
        if who and not any(fact.predicate == "name" for fact in self.facts):
            self._say(self.wording.line("connect_person", {"who": who}, fresh=True))

    def _bears_on(self, fact: FactLine, said: set[str]) -> bool:
        """Whether a known fact and the message truly share their words, and she has not brought it up lately."""
        if is_hers(fact) or fact.tier == "user_claim" or fact.predicate in _NOT_BROUGHT_UP or self._has_said(fact):
            return False
        if any(
            told.predicate == fact.predicate and told.object.casefold() == fact.object.casefold() for told in self.facts
        ):
            return False
        words = [word for word in content(fact.object) if len(word) > 3]
        shared = sum(word in said for word in words)
        return (
            len(words) >= 1 and shared == len(words) and shared >= min(2, len(words)) and len(fact.object.split()) <= 8
        )

    def _has_said(self, fact: FactLine) -> bool:
        told = sentence(fact, self.prompt).lower()
        return any(told in text.lower() for text in self.prompt.said_by_ella)

    def _own_day(self) -> str:
        scene = self.prompt.scene
        lines = [
            line["text"]
            for line in _OWN_DAY
            if line.get("thing", "") not in scene and not (line.get("where") and "Ella" in scene)
        ]
        return self.wording.among(lines, "own day", fresh=True)

    def _question(self) -> str:
        topic = topic_of(self.occasion.said)
        if topic and not any(topic in part for part in self.parts) and self.wording.number("asks of topic", 2):
            return self.wording.line("question_topic", {"topic": topic}, fresh=True)
        return self.wording.line("question", fresh=True) if len(self.occasion.said.split()) > 4 else ""


def _event_topic(fact: Fact) -> str:
    """A plan or deed as something that can be asked about: "the job interview"; "" when it is told as a deed."""
    first = fact.object.split(" ", 1)[0].lower()
    if fact.predicate != "plans" or first.endswith("ing") or is_base_form(first):
        return topic_of(fact.evidence)
    bare = re.split(r"\s(?:to|for|with|at|in|of|on|about|from)\s", _ARTICLE.sub("", fact.object))[0]
    return topic_of(fact.evidence) if len(bare.split()) > 3 or _ANOTHERS.search(bare) else f"the {bare}"


def _evening(when: str) -> str:
    """The evening of a day that was named ("on Friday" → "on Friday evening"); "" when no single day was."""
    day = re.fullmatch(
        r"(?:on )?((?:mon|tues|wednes|thurs|fri|satur|sun)day)(?: (?:morning|afternoon|at .*))?",
        when.strip(),
        re.IGNORECASE,
    )
    if day:
        return f"on {day.group(1).capitalize()} evening"
    return "tomorrow evening" if re.match(r"tomorrow\b", when, re.IGNORECASE) else ""


def _is(thing: str) -> str:
    return "are" if thing.endswith("s") and not thing.endswith("ss") else "is"
