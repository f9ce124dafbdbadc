"""Add the owner of systems; existing systems belong to the user who opens the board."""

from typing import Any

from django.db import migrations, models


def take_over(apps: Any, editor: Any) -> None:
    from gluepot.board.importing.systems.owners import current_owner

    apps.get_model("board", "System").objects.update(owner=current_owner())


class Migration(migrations.Migration):
    dependencies = [("board", "0003_coverage")]

    operations = [
        migrations.AddField("System", "owner", models.CharField(max_length=150, default="")),
        migrations.RunPython(take_over, migrations.RunPython.noop),
    ]
