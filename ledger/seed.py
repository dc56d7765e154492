"""
The first anchors of a person's home world, drawn from a seed, so that there is a world to talk about and no two people
live beside the same one. It only adds what does not stand yet; a second call changes nothing.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping
from datetime import date, timedelta
from functools import cache
from pathlib import Path
from typing import Any

import yaml
from django.db import transaction
from django.utils.timezone import localdate

from ledger.models import Fact, Tier
from ledger.ownership import Owner, lock_owner
from ledger.services import make_anchor

_SEEDS_FILE = Path(__file__).with_name("seeds.yaml")
_NOTE = "There from the beginning."


@transaction.atomic
def seed_home(*, actor: str, owner: Owner, seed: str) -> list[Fact]:
    """
    Anchor the home world of `owner` as `seed` draws it: door, kitchen and garden, the companion animal, the village and
    its surroundings.

    Returns the anchors that stand afterwards under the seeded keys. A key that has an anchor keeps it, whatever the
    seed. The same seed on the same day draws the same world.
    """
    locked = lock_owner(owner)
    canon = Fact.objects.for_owner(locked.key).standing().filter(tier=Tier.CANON)
    standing = {(fact.subject, fact.predicate): fact for fact in canon}
    anchors: list[Fact] = []
    for subject, predicate, value in drawn_anchors(seed, localdate(timezone=locked.zone)):
        anchor = standing.get((subject, predicate))
        if anchor is None:
            made = make_anchor(
                actor=actor, owner=locked.key, subject=subject, predicate=predicate, object=value, note=_NOTE
            )
            anchor = made.fact
        anchors.append(anchor)
    return anchors


def drawn_anchors(seed: str, today: date) -> Iterator[tuple[str, str, str]]:
    """
    (subject, predicate, object) of every anchor `seed` draws. Each is drawn for itself: a new kind of anchor moves none
    of the others.
    """
    places = _seeds()["places"]
    place = _drawn(seed, "place", places)
    yield "world", "biome", place["biome"]
    yield "world.village", "name", _drawn(seed, "village", place["village"])
    yield "world.village", "landmark", _drawn(seed, "landmark", place["landmark"])
    yield "ellahome", "street", _drawn(seed, "street", place["street"])
    yield "ellahome.interior.window", "view", _drawn(seed, "view", place["view"])
    for key, values in _seeds()["drawn"].items():
        subject, predicate = key.split()
        yield subject, predicate, _drawn(seed, key, values)
    animal = _drawn(seed, "companion", _seeds()["companion"])
    ages = _seeds()["companion_age_days"]
    days = random.Random(f"{seed}:companion age").randint(ages["from"], ages["to"])
    yield "companion", "species", animal["species"]
    yield "companion", "name", _drawn(seed, "companion name", animal["names"])
    yield "companion", "birth_date", (today - timedelta(days=days)).isoformat()


def _drawn(seed: str, what: str, values: list[Any]) -> Any:
    return random.Random(f"{seed}:{what}").choice(values)


@cache
def _seeds() -> Mapping[str, Any]:
    written: Mapping[str, Any] = yaml.safe_load(_SEEDS_FILE.read_text(encoding="utf-8"))
    return written
