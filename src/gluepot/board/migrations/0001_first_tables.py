"""Create the initial tables."""

import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    initial = True

    dependencies = []

    operations = [
        migrations.CreateModel(
            name="Entry",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "kind",
                    models.CharField(
                        choices=[
                            ("run", "Run"),
                            ("submission", "Submission"),
                            ("record", "Record"),
                            ("print", "Print"),
                            ("timing", "Timing"),
                        ],
                        max_length=10,
                    ),
                ),
                ("source", models.CharField(max_length=300)),
                ("digest", models.CharField(max_length=64)),
                ("imported", models.DateTimeField(auto_now_add=True)),
                ("gluepot", models.CharField(max_length=30)),
                ("details", models.JSONField(default=dict)),
            ],
        ),
        migrations.CreateModel(
            name="Revision",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("number", models.BigIntegerField(default=0)),
            ],
        ),
        migrations.CreateModel(
            name="System",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("slug", models.SlugField(max_length=120, unique=True)),
                ("name", models.CharField(max_length=200, unique=True)),
                (
                    "role",
                    models.CharField(
                        choices=[("system", "System"), ("trivial", "Trivial"), ("human", "Human")], default="system", max_length=10
                    ),
                ),
                ("family", models.CharField(blank=True, max_length=100)),
                ("parameters", models.BigIntegerField(null=True)),
                ("data_size", models.FloatField(null=True)),
                ("languages", models.JSONField(default=list)),
                ("team", models.CharField(blank=True, max_length=200)),
                ("link", models.URLField(blank=True, max_length=500)),
                ("card", models.TextField(blank=True)),
                ("open_weights", models.BooleanField(null=True)),
                ("open_code", models.BooleanField(null=True)),
                ("open_data", models.BooleanField(null=True)),
                ("added", models.DateTimeField(auto_now_add=True)),
            ],
        ),
        migrations.CreateModel(
            name="Answers",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("task", models.CharField(max_length=100)),
                ("split", models.CharField(max_length=50)),
                ("seed", models.IntegerField(default=0)),
                ("file", models.FileField(max_length=300, upload_to="")),
                ("merits", models.BinaryField()),
                ("current", models.BooleanField(default=True)),
                ("entry", models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name="answers", to="board.entry")),
            ],
        ),
        migrations.CreateModel(
            name="Measurement",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("task", models.CharField(max_length=100)),
                ("quantity", models.CharField(max_length=30)),
                ("value", models.FloatField()),
                ("low", models.FloatField(null=True)),
                ("high", models.FloatField(null=True)),
                ("profile", models.CharField(max_length=200)),
                ("reported", models.FloatField(null=True)),
                ("note", models.TextField(blank=True)),
                ("current", models.BooleanField(default=True)),
                ("entry", models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name="measurements", to="board.entry")),
            ],
        ),
        migrations.CreateModel(
            name="Stated",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("task", models.CharField(max_length=100)),
                ("split", models.CharField(max_length=50)),
                ("metric", models.CharField(max_length=50)),
                ("stated", models.FloatField()),
                ("computed", models.FloatField(null=True)),
                ("agrees", models.BooleanField()),
                ("entry", models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name="stated", to="board.entry")),
            ],
        ),
        migrations.CreateModel(
            name="SuiteVersion",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("name", models.SlugField(max_length=100)),
                ("version", models.CharField(max_length=50)),
                ("declaration", models.JSONField()),
            ],
            options={
                "constraints": [models.UniqueConstraint(fields=("name", "version"), name="one_suite_version")],
            },
        ),
        migrations.CreateModel(
            name="Snapshot",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("key", models.CharField(max_length=40, unique=True)),
                ("query", models.TextField(blank=True)),
                ("document", models.JSONField()),
                ("made", models.DateTimeField(auto_now_add=True)),
                (
                    "suite",
                    models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name="snapshots", to="board.suiteversion"),
                ),
            ],
        ),
        migrations.AddField(
            model_name="entry",
            name="suite",
            field=models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name="entries", to="board.suiteversion"),
        ),
        migrations.AddField(
            model_name="entry",
            name="system",
            field=models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name="entries", to="board.system"),
        ),
        migrations.CreateModel(
            name="Score",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("task", models.CharField(max_length=100)),
                ("split", models.CharField(max_length=50)),
                ("metric", models.CharField(max_length=50)),
                ("slice", models.CharField(blank=True, max_length=150)),
                ("value", models.FloatField(null=True)),
                ("low", models.FloatField(null=True)),
                ("high", models.FloatField(null=True)),
                ("n", models.IntegerField(null=True)),
                ("verified", models.BooleanField()),
                ("reason", models.TextField(blank=True)),
                ("data", models.CharField(blank=True, max_length=64)),
                ("replicates", models.BinaryField(null=True)),
                ("current", models.BooleanField(default=True)),
                ("entry", models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name="scores", to="board.entry")),
            ],
            options={
                "indexes": [
                    models.Index(fields=["entry", "current"], name="board_score_entry_i_0daa0e_idx"),
                    models.Index(condition=models.Q(("current", True)), fields=["task", "split"], name="current_scores"),
                ],
            },
        ),
        migrations.AddConstraint(
            model_name="entry",
            constraint=models.UniqueConstraint(fields=("system", "suite", "digest"), name="one_entry_a_content"),
        ),
    ]
