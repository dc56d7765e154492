"""
Answers a question out of the prompt: the scene first, then what was said last, the facts, the promises, the thoughts.
What none of them says is not known.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import timedelta

from ella.offline.reading.facts import facts_of_ella, facts_of_person
from ella.offline.reading.lexicon import COLOURS, PETS, THINGS
from ella.offline.reading.mirror import both_ways, by_name, sayable
from ella.offline.reading.phrasing import capital, is_hers, listed_words, on_day, sentence, whose
from ella.offline.reading.prompt import FactLine, PromiseLine, Prompt, ThoughtLine, day_of
from ella.offline.reading.questions import Asked
from ella.offline.reading.scene import Voice, scene_of
from ella.offline.reading.verbs import content, stem

_WHERE = re.compile(r"\b(?:where|seen|find|leave|left|put|placed|lost)\b", re.IGNORECASE)
_PLACED = frozenset(
    map(stem, ("put", "leave", "see", "find", "lose", "place", "set", "drop", "toss", "throw", "park", "keep"))
)
_STILL = re.compile(
    r"^(?:is|are|was) (?:my|your|the) \w+(?: \w+)? (?:still )?(?:on|in|at|under|by|behind)\b", re.IGNORECASE
)
_PROMISED = re.compile(r"\bpromise", re.IGNORECASE)
_BETWEEN = re.compile(
    r"\b(?:are we (?:ok|okay|good|fine)|(?:angry|upset|mad|cross|annoyed|hurt) (?:with|at|by) (?:me|you)"
    r"|trust (?:me|you)|feel about (?:me|you|us)|think of me)\b",
    re.IGNORECASE,
)
_THINKING = re.compile(
    r"\b(?:been thinking|on your mind|think(?:ing)? about (?:lately|today|these days)|your thoughts)\b", re.IGNORECASE
)
_DAY_ASKED = re.compile(
    r"\b(?P<which>today|tomorrow|yesterday|(?:on )?(?:mon|tues|wednes|thurs|fri|satur|sun)day)\b", re.IGNORECASE
)
# Questions that a fact can answer at all; "how would you do it?" is not one.
_ABOUT_SOMETHING = re.compile(
    r"(?:who|what|when|where|which|whose)(?:'s)?\b|(?:do|did|have|had|am|was|will|can) (?:i|we)\b"
    r"|(?:is|are|was|were|does|did|has) (?:my|our|your|the)\b|do you (?:have|own|live|know)\b",
    re.IGNORECASE,
)
_LIFE_ASKED = re.compile(
    r"\b(?:plans?|planned|did i do|do i have|am i doing|going on|happening|what(?:'s| is) on|doing"
    r"|coming up|tell you|told you)\b",
    re.IGNORECASE,
)
_ALL_ASKED = re.compile(r"\b(?:know|remember|tell me) about (?:me|myself)\b", re.IGNORECASE)
_SINGLE = frozenset(
    {"name", "job", "employer", "lives_in", "hometown", "age", "birthday", "birth_date", "colour", "species", "street"}
)
# Whom a question means that names nobody: "what pet do you have?"
_MEANT_BY_ITSELF = {
    "species": {"companion", "user"},
    "lives": {"user", "ellahome", "world.village"},
    "name": frozenset[str](),
}
# Said of a thing and told by no fact: "your front door" is the door.
_BESIDE_THE_POINT = frozenset(("front", "own"))
_MOST = 3
_LAST_EXCHANGE = 2  # messages
_WEEKDAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")


def answer_to(asked: Asked, prompt: Prompt) -> str | None:
    """The answer the prompt holds, as whole sentences; None when it holds none."""
    for way in (_scene, _own_name, _promises, _between, _day, _facts, _thoughts, _last_said):
        found = way(asked, prompt)
        if found:
            return capital(found)
    return None


def facts_at_hand(prompt: Prompt) -> list[FactLine]:
    """
    The facts of the prompt, and before and after them what the chat itself tells: the last exchange outranks the
    list, older chat does not.
    """
    known = [f"{fact.subject} · name = {fact.object}" for fact in prompt.facts if fact.predicate == "name"]
    told: list[list[FactLine]] = []
    for spoken in prompt.chat:
        # Who a name means was settled since for all but the last exchange; read by today's names, a sister renamed
        # would become two.
        names = known if len(prompt.chat) - len(told) <= _LAST_EXCHANGE else ()
        facts = facts_of_ella(spoken.text) if spoken.by_ella else facts_of_person(spoken.text, names)
        told.append(
            [FactLine(_tier(fact.subject, spoken.by_ella), fact.subject, fact.predicate, fact.object) for fact in facts]
        )
    recent, older = told[-_LAST_EXCHANGE:], told[:-_LAST_EXCHANGE]
    listed = {(fact.subject, fact.predicate, fact.object.casefold()) for fact in prompt.facts}

    def news(messages: Iterable[list[FactLine]]) -> list[FactLine]:
        flat = [fact for facts in messages for fact in facts]
        return [fact for fact in flat if (fact.subject, fact.predicate, fact.object.casefold()) not in listed]

    first = [fact for fact in news(reversed(recent)) if fact.tier == "observed"]
    last = [fact for fact in news((*reversed(recent), *reversed(older))) if fact not in first]
    return [*first, *prompt.facts, *last]


def _tier(subject: str, by_ella: bool) -> str:
    if by_ella:
        return "inferred"
    return "observed" if subject.startswith("user") else "user_claim"


def _scene_at_hand(prompt: Prompt) -> dict[str, str]:
    scene: dict[str, str] = {}
    for spoken in prompt.chat:
        voice = Voice("Ella", prompt.name) if spoken.by_ella else Voice(prompt.name, "Ella")
        for line in scene_of(spoken.text, voice, scene, of_ella=spoken.by_ella).values():
            scene[line.thing] = line.state
    return scene | prompt.scene


def _scene(asked: Asked, prompt: Prompt) -> str | None:
    bare = asked.bare.lower()
    if not (_WHERE.search(bare) or _STILL.match(bare)):
        return None
    scene = _scene_at_hand(prompt)
    if re.search(r"\bwhere (?:are|r) you\b", bare):
        return f"I'm {by_name(scene['Ella'], prompt.name)}" + "." if scene.get("Ella") else None
    if re.search(r"\bwhere am i\b", bare):
        return (
            f"you're {by_name(scene[prompt.name], prompt.name)}, the last I heard." if scene.get(prompt.name) else None
        )
    wanted = [word for word in asked.words if word not in _PLACED]
    for thing, state in scene.items():
        named = content(thing.replace("'s", ""))
        if named and state and set(named) & set(wanted) and set(named) <= {*wanted, *content(f"{prompt.name} Ella")}:
            return _stands(asked, thing, state, prompt)
    return _found_there(wanted, scene, prompt)


def _stands(asked: Asked, thing: str, state: str, prompt: Prompt) -> str:
    owner = "" if "'s " in thing else ("your " if asked.mine else "the ")
    plural = thing.endswith("s") and not thing.endswith("ss")
    place = by_name(state, prompt.name)
    told = f"{owner}{by_name(thing, prompt.name)} {'are' if plural else 'is'} {place}"
    if _STILL.match(asked.bare) and not set(content(state)) & set(asked.words):
        return f"no, {told}."
    return f"{told}." if "hand" in place else f"{told}, where {'they were' if plural else 'it was'} put down last."


def _found_there(wanted: Iterable[str], scene: dict[str, str], prompt: Prompt) -> str | None:
    """ "What did I put on the couch?": the place is named and the thing is asked for."""
    asked_for = set(wanted)
    if not asked_for or asked_for & {stem(word) for thing in THINGS for word in thing.split()}:
        return None
    there = [by_name(thing, prompt.name) for thing, state in scene.items() if asked_for <= set(content(state))]
    return f"{listed_words(f'the {thing}' for thing in there)}, as far as I know." if there else None


def _own_name(asked: Asked, prompt: Prompt) -> str | None:
    if re.search(r"\b(?:what(?:'s| is|) my name|who am i|my name is)\b", asked.bare, re.IGNORECASE) and prompt.name:
        return f"you're {prompt.name}."
    return "I'm Ella." if re.search(r"\b(?:your name|who are you)\b", asked.bare, re.IGNORECASE) else None


def _promises(asked: Asked, prompt: Prompt) -> str | None:
    if not _PROMISED.search(asked.text):
        return None
    hers = re.search(r"\byou (?:have )?promise|\bdid you promise|\byour promise", asked.text, re.IGNORECASE) is not None
    listed = [promise for promise in prompt.promises if (promise.who == "Ella") == hers]
    if not listed:
        return None
    return " ".join(f"{capital(_promise(promise, prompt))}." for promise in listed[:_MOST])


def _promise(promise: PromiseLine, prompt: Prompt) -> str:
    who = "I" if promise.who == "Ella" else "you" if promise.who == prompt.name else promise.who
    what = promise.what if promise.who == "Ella" else both_ways(promise.what)
    what = by_name(what, prompt.name)
    due = f", {'by ' if not promise.settle_today else ''}{_due(promise, prompt)}" if promise.due else ""
    return f"{who} promised to {what}{due}"


def _due(promise: PromiseLine, prompt: Prompt) -> str:
    return "which is for today" if promise.settle_today else on_day(promise.due, prompt).removeprefix("on ")


def _between(asked: Asked, prompt: Prompt) -> str | None:
    """ "Are you angry with me?": the last that was noted of how one feels towards the other, in its own words."""
    if not _BETWEEN.search(asked.bare):
        return None
    of_ella = re.search(r"\byou\b.{0,24}\b(?:me|us)\b", asked.bare, re.IGNORECASE) is not None
    whose_side = "Ella" if of_ella else prompt.name
    noted = next((each for each in prompt.relationships if each.who == whose_side and sayable(each.state)), None)
    if noted is None:
        return None
    return f"the last I noted of {'myself' if of_ella else 'you'}: {by_name(noted.state, prompt.name)}."


def _day(asked: Asked, prompt: Prompt) -> str | None:
    """ "What are my plans for Friday?": the rows of that day, and no others."""
    which = _DAY_ASKED.search(asked.bare)
    today = prompt.day
    if which is None or today is None or not asked.mine or not _LIFE_ASKED.search(asked.bare):
        return None
    word = which["which"].lower().removeprefix("on ")
    if word in {"today", "tomorrow", "yesterday"}:
        days = [today + timedelta(days={"today": 0, "tomorrow": 1, "yesterday": -1}[word])]
    else:
        offset = (_WEEKDAYS.index(word[:3]) - today.weekday()) % 7
        days = [today + timedelta(days=offset), today + timedelta(days=offset - 7)]
    for day in days:
        on_it = [fact for fact in prompt.facts if not is_hers(fact) and _covers(fact, day.isoformat())]
        if on_it:
            return _sentences(on_it, prompt)
    return None


def _covers(fact: FactLine, day: str) -> bool:
    return bool(fact.on) and fact.on[:10] <= day <= (fact.until or fact.on)[:10]


def _facts(asked: Asked, prompt: Prompt) -> str | None:
    at_hand = facts_at_hand(prompt)
    if _ALL_ASKED.search(asked.text):
        own = [fact for fact in prompt.facts if fact.subject == "user"]
        return _sentences(own, prompt) if own else None
    found = _matching(asked, set(asked.words) - _BESIDE_THE_POINT, at_hand)
    if found and re.match(r"who\b", asked.bare, re.IGNORECASE) and stem(found[0].object.lower()) in asked.words:
        return f"{found[0].object} is {whose(found[0].subject, prompt, named=False)}."
    if found:
        return _sentences(found, prompt)
    doubted = {word for word in asked.words if word in COLOURS} if asked.kind in {"", "colour"} else set()
    named = (
        {stem(word.lower()) for word in re.findall(r"\b[A-Z][a-z]+", asked.bare[1:])} if asked.kind == "name" else set()
    )
    for guess, predicate in ((doubted, "colour"), (named, "name")):
        if guess and set(asked.words) - guess:
            found = [
                fact for fact in _matching(asked, set(asked.words) - guess, at_hand) if fact.predicate == predicate
            ]
            if found:
                return f"not as I have it: {_sentences(found, prompt, first_capital=False)}"
    return None


def _matching(asked: Asked, wanted: set[str], at_hand: list[FactLine]) -> list[FactLine]:
    """The facts that have every telling word of the question in them or in what is known of their subject."""
    plain = _ABOUT_SOMETHING.match(asked.bare) and (asked.mine or asked.yours or len(wanted) > 1)
    if not (asked.predicates or asked.reminding or plain):
        return []  # "what did it look like?" asks about what was just said, not about one of these
    names = _names(at_hand)
    found = []
    taken: set[tuple[str, str]] = set()
    for fact in at_hand:
        key = (fact.subject, fact.predicate)
        if fact.predicate in _SINGLE and key in taken:
            continue  # a later line of the same key is older, or of lower rank
        taken.add(key)
        if not sayable(fact.object) or not _right_side(asked, fact) or (asked.predicates and not _answers(asked, fact)):
            continue
        if fact.predicate == "birth_date" and asked.kind != "birthday":
            continue
        if not wanted and fact.subject not in _MEANT_BY_ITSELF.get(asked.kind, {"user"}):
            continue
        said = {
            *content(f"{fact.predicate.replace('_', ' ')} {fact.object}"),
            *_path_words(fact.subject),
            *names.get(fact.subject, ()),
        }
        if wanted <= said and (wanted or asked.predicates):
            found.append(fact)
    return sorted(found, key=lambda fact: asked.kind == "" and fact.predicate != "name")[:_MOST]


def _names(at_hand: Iterable[FactLine]) -> dict[str, set[str]]:
    """What each subject is called and what kind of animal it is: said of it, whatever else is told."""
    names: dict[str, set[str]] = {}
    for fact in at_hand:
        if fact.predicate in {"name", "species"} and fact.subject != "user":
            names.setdefault(fact.subject, set()).update(content(fact.object))
    return names


def _right_side(asked: Asked, fact: FactLine) -> bool:
    if asked.mine:
        return not is_hers(fact)
    return is_hers(fact) if asked.yours else True


def _answers(asked: Asked, fact: FactLine) -> bool:
    return fact.predicate in asked.predicates or (
        "favourite" in asked.predicates and fact.predicate.startswith("favourite")
    )


def _path_words(subject: str) -> set[str]:
    words = {stem(word) for step in subject.split(".")[1:] for word in step.split("_")}
    if subject == "companion" or any(step in PETS for step in subject.split(".")):
        words |= {"pet", "animal", "companion"}
    return words


def _sentences(facts: Iterable[FactLine], prompt: Prompt, *, first_capital: bool = True) -> str:
    chosen = list(facts)[:_MOST]
    if not chosen:
        return ""
    told = [sentence(fact, prompt) for fact in chosen]
    aged = chosen[0].told if len(chosen) == 1 and re.search(r"\b(?:month|year)s?\b", chosen[0].told) else ""
    joined = ". ".join(capital(each) if index or first_capital else each for index, each in enumerate(told))
    return f"{joined}. You told me {aged}, so it may have moved on." if aged else f"{joined}."


def _thoughts(asked: Asked, prompt: Prompt) -> str | None:
    if not asked.yours:
        return None
    thoughts = [thought for thought in prompt.thoughts if sayable(thought.content)]
    if _THINKING.search(asked.bare) and thoughts:
        return _thought(thoughts[0])
    wanted = set(asked.words)
    for thought in thoughts:
        if 2 <= len(wanted) <= 4 and wanted <= set(content(thought.content)):
            return _thought(thought)
    return None


def _thought(thought: ThoughtLine) -> str:
    said = thought.content.strip()
    return said if said.endswith((".", "!", "?", "…")) else f"{said}."


def _last_said(asked: Asked, prompt: Prompt) -> str | None:
    """Something asked about that only older chat speaks of: that it came up, and when, without guessing at more."""
    wanted = set(asked.words)
    if not wanted or not (asked.mine or asked.reminding) or asked.predicates:
        return None
    for spoken in reversed(prompt.chat):
        if not spoken.by_ella and "?" not in spoken.text[-3:] and wanted <= set(content(spoken.text)):
            day = f" {on_day(spoken.on, prompt)}" if day_of(spoken.on) else ""
            return f"yes, you wrote about that{day}. I have your words for it, but nothing beyond them."
    return None


def known_person(asked_words: Iterable[str], prompt: Prompt) -> str:
    """Who of the person's circle the words speak of, as they may be called: "your sister Maja"; "" when nobody."""
    wanted = set(asked_words)
    for fact in prompt.facts:
        if fact.predicate == "name" and fact.subject.startswith("user.") and wanted & _who_words(fact):
            who = whose(fact.subject, prompt)
            return who if fact.object in who else f"{who} {fact.object}"
    return ""


def _who_words(fact: FactLine) -> set[str]:
    """The words that mean somebody: the name, and the relation where most people have only one."""
    named = {stem(fact.object.lower())}
    return named | _path_words(fact.subject) if fact.subject.count(".") == 1 else named
