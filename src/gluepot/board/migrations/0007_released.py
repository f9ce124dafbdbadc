"""Add the release date of systems."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("board", "0006_evidence")]

    operations = [migrations.AddField("system", "released", models.CharField(blank=True, default="", max_length=10))]
