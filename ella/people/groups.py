"""
The two groups of the back-office and what each may see and do, as data; a migration brings them into the database.

A moderator reads what a case needs. An operator also sees what it costs and decides who works here. Nothing here grants
the right to change or delete what was said, remembered or spent: no role has it.
"""

from __future__ import annotations

from typing import Any

from django.apps import apps as live_apps
from django.apps.registry import Apps

MODERATOR = "moderator"
OPERATOR = "operator"

_READS = (
    "people.view_person",
    "people.view_personevent",
    "conversation.view_conversation",
    "conversation.view_message",
    "conversation.view_turn",
    "conversation.view_disclosure",
    "llm.view_modelcall",
    "memory.view_extraction",
    "memory.view_extractionitem",
    "memory.view_sceneitem",
    "ledger.view_fact",
    "ledger.view_factevent",
    "ledger.view_promise",
    "ledger.view_promiseevent",
    "ledger.view_relationship",
    "ledger.view_relationshipevent",
    "selflog.view_selflogentry",
    "boundary.view_boundaryfire",
)
_RUNS = (
    "people.change_person",
    "auth.view_group",
    "llm.view_spend",
    "llm.view_learnedlimit",
)

GROUPS: dict[str, tuple[str, ...]] = {MODERATOR: _READS, OPERATOR: (*_READS, *_RUNS)}


def ensure_groups(apps: Apps) -> None:
    """
    Both groups, each with exactly the permissions above; safe to run again. `apps` is a migration's or the live one.

    Django makes permissions after all migrations have run, so those that are missing are made here; it will find them.
    Raises LookupError for a model that no app has.
    """
    group_model: Any = apps.get_model("auth", "Group")
    for name, permissions in GROUPS.items():
        group, _ = group_model.objects.get_or_create(name=name)
        group.permissions.set([_permission(apps, written) for written in permissions])


def remove_groups(apps: Apps) -> None:
    group_model: Any = apps.get_model("auth", "Group")
    group_model.objects.filter(name__in=GROUPS).delete()


def _permission(apps: Apps, written: str) -> Any:
    app_label, codename = written.split(".")
    action, model = codename.split("_", 1)
    # The live model, whatever a migration knows so far: it says what Django would call the permission.
    spoken = live_apps.get_model(app_label, model)._meta.verbose_name_raw
    content_type_model: Any = apps.get_model("contenttypes", "ContentType")
    permission_model: Any = apps.get_model("auth", "Permission")
    content_type, _ = content_type_model.objects.get_or_create(app_label=app_label, model=model)
    permission, _ = permission_model.objects.get_or_create(
        content_type=content_type, codename=codename, defaults={"name": f"Can {action} {spoken}"}
    )
    return permission
