"""Widen intervals of reported scores that are too narrow for their number of items; join people of several tasks into one row."""

from typing import Any

from django.db import migrations


def bound_intervals(apps: Any, editor: Any) -> None:
    """Widen the intervals of existing scores."""
    from gluepot.board.importing.storage.reported_intervals import bound_by_items

    score = apps.get_model("board", "Score")
    for version in apps.get_model("board", "SuiteVersion").objects.all():
        rows = list(score.objects.filter(entry__suite=version, low__isnull=False, verified=False, slice="").defer("replicates"))
        bound_by_items(version.declaration["tasks"], rows)
        score.objects.bulk_update(rows, ["low", "high", "method"], batch_size=500)


def join_people(apps: Any, editor: Any) -> None:
    """Remove the votes on one task from the identity of people."""
    systems = apps.get_model("board", "System")
    for system in systems.objects.filter(identity__adapter="human"):
        system.identity.pop("fingerprint", None)
        system.save(update_fields=["identity"])


class Migration(migrations.Migration):
    dependencies = [("board", "0007_released")]

    operations = [
        migrations.RunPython(bound_intervals, migrations.RunPython.noop),
        migrations.RunPython(join_people, migrations.RunPython.noop),
    ]
