"""Rename the language model setting `wording` to `prompt`."""

from typing import Any

from django.db import migrations


def rename(apps: Any, editor: Any) -> None:
    """Rename it in the identities of systems."""
    for system in apps.get_model("board", "System").objects.filter(identity__settings__has_key="wording"):
        settings = system.identity["settings"]
        settings["prompt"] = settings.pop("wording")
        system.save(update_fields=["identity"])


class Migration(migrations.Migration):
    dependencies = [("board", "0004_owner")]

    operations = [migrations.RunPython(rename, migrations.RunPython.noop)]
