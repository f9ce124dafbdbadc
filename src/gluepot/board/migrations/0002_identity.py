"""Identify systems by their identity, not by their name alone."""

from typing import Any

import msgspec
from django.db import migrations, models


def take_from_manifests(apps: Any, editor: Any) -> None:
    """Set the identity of existing systems from their newest run."""
    from gluepot.board.importing.systems.identity import identity_of
    from gluepot.runs.storage.manifest import Manifest
    from gluepot.runs.storage.old_manifests import upgrade

    for entry in apps.get_model("board", "Entry").objects.filter(kind="run").order_by("imported", "pk").select_related("system").iterator():
        try:
            found = msgspec.convert(upgrade(entry.details["manifest"]), Manifest).identity
        except (KeyError, TypeError, msgspec.ValidationError):
            continue
        entry.system.identity = msgspec.to_builtins(identity_of(found))
        entry.system.save(update_fields=["identity"])


class Migration(migrations.Migration):
    dependencies = [("board", "0001_first_tables")]

    operations = [
        migrations.AddField("System", "identity", models.JSONField(default=dict)),
        migrations.AddField("Entry", "superseded", models.BooleanField(default=False)),
        migrations.RunPython(take_from_manifests, migrations.RunPython.noop),
    ]
