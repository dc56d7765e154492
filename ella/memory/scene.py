"""
The scene: where the few things and people are that a next reply could contradict. One row a thing; a change ends the
row and writes the next, so that the latest action always holds and what was so before can still be told.
"""

from __future__ import annotations

import re
from datetime import datetime
from uuid import UUID

from ella.memory.models import SceneItem

THING_MAX = 60
STATE_MAX = 160
# More than a next reply could contradict is noise: the oldest leaves.
STANDING_MOST = 12

_ARTICLE = re.compile(r"^(?:the|a|an|my|your|his|her|their|our)\s+", re.IGNORECASE)


class NotAScene(Exception):
    """Nothing that could stand in a scene."""


def change_scene(
    *,
    actor: str,
    owner_id: UUID,
    conversation_id: UUID,
    thing: str,
    state: str,
    evidence: str,
    message_id: UUID,
    now: datetime,
) -> SceneItem | None:
    """
    Put `thing` where it is now; an empty `state` takes it from the scene. Returns the standing row, or None when it
    left or stood so already.

    Call inside a transaction. Raises NotAScene.
    """
    del actor  # kept in the signature like every write; the extraction item is the audit row
    name = _ARTICLE.sub("", " ".join(thing.split())).strip(" .,;:!?")
    if not name or len(name) > THING_MAX:
        raise NotAScene("no thing was named, or its name is longer than a thing's")
    place = " ".join(state.split()).strip(" .,;!?")
    if len(place) > STATE_MAX:
        raise NotAScene("the state is a story, not a place")
    standing = SceneItem.objects.for_owner(owner_id).standing(conversation_id)
    current = standing.filter(thing__iexact=name).first()
    if current is not None:
        if current.state == place:
            return None
        end_scene_item(item=current, because=f"now: {place}"[:80] if place else "left the scene", now=now)
    if not place:
        return None
    item = SceneItem.objects.create(
        owner_id=owner_id,
        conversation_id=conversation_id,
        thing=name,
        state=place,
        evidence=evidence,
        source_message_id=message_id,
        began_at=now,
    )
    for old in standing.order_by("-began_at")[STANDING_MOST:]:
        end_scene_item(item=old, because="the scene is kept small", now=now)
    return item


def end_scene_item(*, item: SceneItem, because: str, now: datetime) -> None:
    SceneItem.objects.filter(pk=item.pk, ended_at__isnull=True).update(ended_at=now, ended_because=because)
