"""
Whose ledger it is, and who may write in it now. Every service takes the owner's lock before it reads or writes anything
else, so that two writers of one person's ledgers queue up, see each other's rows, and can never wait for each other in
a circle. It never looks at what is written.
"""

from __future__ import annotations

import uuid
import zoneinfo
from dataclasses import dataclass

from django.contrib.auth import get_user_model
from django.contrib.auth.base_user import AbstractBaseUser

HOME_SCOPE = "home"

# A person, or the key of one.
Owner = AbstractBaseUser | uuid.UUID


@dataclass(frozen=True, slots=True)
class LockedOwner:
    """The owner whose ledgers this transaction alone may write, and the clock their days are counted on."""

    key: uuid.UUID
    zone: zoneinfo.ZoneInfo


def owner_key(owner: Owner) -> uuid.UUID:
    key: uuid.UUID = owner.pk if isinstance(owner, AbstractBaseUser) else owner
    return key


def lock_owner(owner: Owner) -> LockedOwner:
    """
    Hold the owner's ledgers until the transaction ends. Must be called inside one.

    PostgreSQL locks the person's row (`NO KEY`, so that rows pointing at it may still be written elsewhere); SQLite has
    let only this writer in since the transaction began (IMMEDIATE). Raises the user model's `DoesNotExist` when the
    person has been erased meanwhile.
    """
    people = get_user_model()._default_manager.select_for_update(no_key=True)
    key, timezone = people.values_list("pk", "timezone").get(pk=owner_key(owner))
    return LockedOwner(key, zoneinfo.ZoneInfo(timezone))
