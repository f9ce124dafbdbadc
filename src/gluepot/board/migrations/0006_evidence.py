"""Add the interval method and the harness of scores, and Wilson intervals of reported proportions."""

from typing import Any

from django.db import migrations, models


def add_intervals(apps: Any, editor: Any) -> None:
    """Set the interval method of existing scores (computed ones were resampled), and add Wilson's to reported proportions."""
    from gluepot.board.importing.storage.reported_intervals import add_wilson

    score = apps.get_model("board", "Score")
    known = score.objects.filter(low__isnull=False)
    known.filter(verified=True).update(method="bootstrap")
    known.filter(verified=False).update(method="iterations")
    for version in apps.get_model("board", "SuiteVersion").objects.all():
        rows = list(score.objects.filter(entry__suite=version, low__isnull=True, verified=False, slice="").defer("replicates"))
        add_wilson(version.declaration["tasks"], rows)
        score.objects.bulk_update([row for row in rows if row.method], ["low", "high", "method", "n"], batch_size=500)


class Migration(migrations.Migration):
    dependencies = [("board", "0005_prompt")]

    operations = [
        migrations.AddField("score", "method", models.CharField(max_length=20, blank=True, default=""), preserve_default=False),
        migrations.AddField("score", "harness", models.CharField(max_length=100, blank=True, default=""), preserve_default=False),
        migrations.AddField("score", "spread", models.FloatField(null=True)),
        migrations.AddField("score", "runs", models.IntegerField(null=True)),
        migrations.RunPython(add_intervals, migrations.RunPython.noop),
    ]
