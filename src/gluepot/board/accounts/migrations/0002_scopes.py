"""Keys that may do more."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("accounts", "0001_first_tables")]
    operations = [
        migrations.AlterField(
            "apikey",
            "scope",
            models.CharField(
                choices=[
                    ("read", "read your submissions"),
                    ("submit", "read them, and submit"),
                    ("account", "full access, including keys, teams and your data"),
                    ("moderate", "read them, and moderate"),
                ],
                default="submit",
                max_length=10,
            ),
        )
    ]
