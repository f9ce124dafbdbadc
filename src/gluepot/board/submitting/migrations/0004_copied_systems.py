"""A submission may repeat the answers of a system that nobody submitted here."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("submitting", "0003_programs"),
    ]

    operations = [
        migrations.AlterField(
            model_name="suspicion",
            name="kind",
            field=models.CharField(choices=[("near-copy", "nearly another's answers"), ("probing", "probes for labels")], max_length=10),
        ),
    ]
