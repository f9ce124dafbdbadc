"""Add the coverage of scores over some of the items: share of answered items, value over these, and whether the score ranks."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("board", "0002_identity")]

    operations = [
        migrations.AddField("score", "coverage", models.FloatField(null=True)),
        migrations.AddField("score", "answered", models.FloatField(null=True)),
        migrations.AddField("score", "ranked", models.BooleanField(default=True)),
    ]
