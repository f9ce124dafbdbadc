"""Programs that are sent instead of answers, and whether they may run."""

import django.db.models.deletion
from django.db import migrations, models

STATES = [
    ("draft", "draft"),
    ("proposed", "waiting for permission to run"),
    ("refused", "not allowed to run"),
    ("queued", "waiting to be scored"),
    ("scoring", "being scored"),
    ("scored", "scored, private"),
    ("review", "in review"),
    ("publishing", "being published"),
    ("published", "published"),
    ("rejected", "rejected"),
    ("withdrawn", "withdrawn"),
    ("failed", "could not be scored"),
]


class Migration(migrations.Migration):
    dependencies = [
        ("submitting", "0002_hidden_labels"),
    ]

    operations = [
        migrations.AlterField(
            model_name="upload",
            name="state",
            field=models.CharField(choices=STATES, default="queued", max_length=12),
        ),
        migrations.CreateModel(
            name="SubmittedProgram",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("kind", models.CharField(choices=[("command", "command"), ("image", "image")], max_length=10)),
                ("words", models.TextField()),
                ("file", models.FileField(blank=True, max_length=300, upload_to="")),
                ("files", models.JSONField(default=list)),
                ("digest", models.CharField(max_length=64)),
                (
                    "permission",
                    models.CharField(
                        choices=[("asked", "asked"), ("allowed", "allowed"), ("refused", "refused")], default="asked", max_length=10
                    ),
                ),
                ("reason", models.TextField(blank=True)),
                ("decided", models.DateTimeField(null=True)),
                ("ran", models.DateTimeField(null=True)),
                ("records", models.FileField(blank=True, max_length=300, upload_to="")),
                ("figures", models.JSONField(default=dict)),
                (
                    "upload",
                    models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, related_name="program", to="submitting.upload"),
                ),
            ],
            options={"verbose_name": "program"},
        ),
    ]
