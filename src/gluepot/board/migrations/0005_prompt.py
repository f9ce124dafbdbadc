"""The setting of language models that was called wording is called prompt."""

from typing import Any

from django.db import migrations


def rename(apps: Any, editor: Any) -> None:
    """In what the systems are known by."""
    for system in apps.get_model("board", "System").objects.filter(identity__settings__has_key="wording"):
        settings = system.identity["settings"]
        settings["prompt"] = settings.pop("wording")
        system.save(update_fields=["identity"])


class Migration(migrations.Migration):
    dependencies = [("board", "0004_owner")]

    operations = [migrations.RunPython(rename, migrations.RunPython.noop)]
