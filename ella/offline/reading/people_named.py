"""
Names of the people and animals in the writer's life: "my sister Maja", "my dog is called Rex", "Oscar, my guinea
pig". A name may be mentioned in any sentence, a question
too, because "did I tell you about my sister Maja?" tells it just as well.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ella.offline.reading.lexicon import MANY_RELATIONS, PETS, RELATION_OF, alternation
from ella.offline.reading.people import RELATIVE, Circle, is_name, relation_of
from ella.offline.reading.sentences import Sentence
from ella.offline.reading.verbs import content

_WORDS = alternation(tuple(RELATION_OF))
_NAME = r"(?P<name>[^\W\d_]{2,21}(?:-[^\W\d_]{2,21})?)"
_CALLED = r"(?:'s|\s+(?:is|was))\s+(?:actually\s+)?(?:called|named)|'s\s+(?:actual\s+)?name(?:\s+is|'s)(?:\s+actually)?"
# "my sister's name is Maja", "my older brother is called Tom"
_OF_RELATIVE = re.compile(rf"\b(?i:my|our)\s+(?:\w+\s+)?(?P<relation>(?i:{_WORDS}))(?:{_CALLED})\s+{_NAME}")
# "a dog named Rex", "two friends"
_A_RELATION = re.compile(
    rf"\b(?i:i|we)(?:'ve|\s+(?:also\s+)?(?:have|had|got"
    rf"|adopted))(?:\s+got)?\s+an?\s+(?:[\w-]+\s+){{0,2}}?(?P<relation>(?i:{_WORDS}))"
    rf"\s+(?:called|named)\s+{_NAME}"
)
# "Maja is my sister", "Oscar, my guinea pig"
_IN_FRONT = re.compile(
    rf"(?:^|(?<=[\s,-])){_NAME}(?:,|\s+is|'s)\s+my\s+(?:\w+\s+)?(?P<relation>(?i:{_WORDS}))(?![\w'-])"
)
# "his name is Kyle", "it's called Rex": of whoever was spoken of last in the same message
_OF_PRONOUN = re.compile(
    rf"\b(?i:his|her|its|their)\s+name(?:'s|\s+is)\s+{_NAME}|\b(?P<called>(?i:he|she|it))(?:'s"
    rf"|\s+is)\s+(?:called|named)\s+(?P<name2>[^\W\d_]{{2,21}})"
)
_MENTION = re.compile(rf"\b(?i:my|our|a|an)\s+(?:[\w-]+\s+){{0,2}}?(?P<relation>(?i:{_WORDS}))(?![\w-])")


def names_in(sentence: Sentence, circle: Circle) -> Iterator[tuple[str, str, int, int]]:
    """
    Each name told: subject, name, and where in the sentence the words for it stand.

    The circle learns it, so that what follows may use the name alone.
    """
    text = sentence.text
    for pattern in (_OF_RELATIVE, _A_RELATION, _IN_FRONT, RELATIVE):
        for match in pattern.finditer(text):
            name = _as_name(match["name"], told=pattern in (_OF_RELATIVE, _A_RELATION), sentence=text)
            if not name:
                continue
            relation = relation_of(match["relation"])
            # "My sister's name is Marta" speaks of the sister known already, whatever she was called before.
            same_one = pattern is _OF_RELATIVE and relation not in MANY_RELATIONS
            path = f"user.{relation}" if same_one else circle.path(relation, name)
            circle.meet(relation, name, path)
            yield path, name, match.start(), match.end("relation") if pattern is _IN_FRONT else match.end("name")
    yield from _by_pronoun(text, circle)


def _as_name(word: str | None, *, told: bool, sentence: str) -> str:
    """
    `word` as a name, or "" when it is none. Somebody who never writes a capital may tell a name in lower case ("a dog
    named rex").
    """
    if not word or word.lower() in RELATION_OF:
        return ""
    if is_name(word):
        return word
    return word.title() if told and sentence.islower() and content(word) else ""


def _by_pronoun(text: str, circle: Circle) -> Iterator[tuple[str, str, int, int]]:
    """Names told of whoever was mentioned last: in this sentence, or in the one before it."""
    mentions = list(_MENTION.finditer(text))
    for match in _OF_PRONOUN.finditer(text):
        name = _as_name(match["name"] or match["name2"], told=True, sentence=text)
        before = [mention for mention in mentions if mention.end() <= match.start()]
        relation = relation_of(before[-1]["relation"]) if before else circle.mentioned
        if not relation or not name or ((match["called"] or "").lower() == "it" and relation not in PETS):
            continue
        path = circle.path(relation, name)
        circle.meet(relation, name, path)
        yield path, name, before[-1].start() if before else match.start(), match.end()
    circle.mentioned = relation_of(mentions[-1]["relation"]) if mentions else ""
