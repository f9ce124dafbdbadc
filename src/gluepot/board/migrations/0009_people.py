"""Remove intervals over all items from human scores without a reported item count; make reported intervals contain their values."""

from typing import Any

from django.db import migrations


def forget_guesses(apps: Any, editor: Any) -> None:
    """Remove Wilson intervals of existing human scores that assumed all items of a split."""
    score = apps.get_model("board", "Score")
    told = score.objects.filter(verified=False, method="wilson", entry__system__role="human")
    for version in apps.get_model("board", "SuiteVersion").objects.all():
        for name, task in version.declaration["tasks"].items():
            for split, size in task["data"].get("rows", {}).items():
                guessed = told.filter(entry__suite=version, task=name, split=split, n=size)
                guessed.update(low=None, high=None, method="", n=None)


def hold_values(apps: Any, editor: Any) -> None:
    """Make the intervals of existing scores contain their values."""
    from gluepot.board.importing.storage.reported_intervals import bound_by_items

    score = apps.get_model("board", "Score")
    for version in apps.get_model("board", "SuiteVersion").objects.all():
        rows = list(score.objects.filter(entry__suite=version, low__isnull=False, verified=False, slice="").defer("replicates"))
        bound_by_items(version.declaration["tasks"], rows)
        score.objects.bulk_update(rows, ["low", "high", "method"], batch_size=500)


class Migration(migrations.Migration):
    dependencies = [("board", "0008_bounds")]

    operations = [
        migrations.RunPython(forget_guesses, migrations.RunPython.noop),
        migrations.RunPython(hold_values, migrations.RunPython.noop),
    ]
