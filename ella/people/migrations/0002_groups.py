"""The back-office groups. When ella/people/groups.py grows, another migration like this one brings the difference."""

from django.apps.registry import Apps
from django.db import migrations
from django.db.backends.base.schema import BaseDatabaseSchemaEditor

from ella.people.groups import ensure_groups, remove_groups


def forwards(apps: Apps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    ensure_groups(apps)


def backwards(apps: Apps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    remove_groups(apps)


class Migration(migrations.Migration):
    dependencies = [
        ("people", "0001_initial"),
        ("auth", "0012_alter_user_first_name_max_length"),
        ("contenttypes", "0002_remove_content_type_name"),
    ]

    operations = [migrations.RunPython(forwards, backwards)]
