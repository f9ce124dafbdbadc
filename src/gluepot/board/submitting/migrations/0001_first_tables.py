"""The first tables of this room."""

import uuid

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    initial = True

    dependencies = [
        ("accounts", "0001_first_tables"),
        ("board", "0005_prompt"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="Rescoring",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("suite", models.SlugField(max_length=100)),
                ("version", models.CharField(max_length=50)),
                ("reason", models.TextField()),
                ("made", models.DateTimeField(auto_now_add=True)),
                ("scorer", models.CharField(max_length=50)),
            ],
        ),
        migrations.CreateModel(
            name="WorkerSeen",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("name", models.CharField(max_length=100, unique=True)),
                ("at", models.DateTimeField()),
            ],
        ),
        migrations.CreateModel(
            name="Upload",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("key", models.UUIDField(default=uuid.uuid4, editable=False, unique=True)),
                ("suite", models.SlugField(max_length=100)),
                ("version", models.CharField(max_length=50)),
                ("task", models.SlugField(blank=True, max_length=100)),
                ("name", models.CharField(max_length=150)),
                ("filename", models.CharField(max_length=255)),
                ("file", models.FileField(max_length=300, upload_to="")),
                ("size", models.BigIntegerField(default=0)),
                ("digest", models.CharField(max_length=64)),
                ("tasks", models.JSONField(default=list)),
                ("notices", models.JSONField(default=list)),
                (
                    "state",
                    models.CharField(
                        choices=[
                            ("draft", "draft"),
                            ("queued", "waiting to be scored"),
                            ("scoring", "being scored"),
                            ("scored", "scored, private"),
                            ("review", "in review"),
                            ("publishing", "being published"),
                            ("published", "published"),
                            ("rejected", "rejected"),
                            ("withdrawn", "withdrawn"),
                            ("failed", "could not be scored"),
                        ],
                        default="queued",
                        max_length=12,
                    ),
                ),
                ("reason", models.TextField(blank=True)),
                ("made", models.DateTimeField(auto_now_add=True)),
                ("queued", models.DateTimeField(null=True)),
                ("scored", models.DateTimeField(null=True)),
                ("published", models.DateTimeField(null=True)),
                ("attempts", models.IntegerField(default=0)),
                (
                    "member",
                    models.ForeignKey(
                        null=True, on_delete=django.db.models.deletion.SET_NULL, related_name="uploads", to=settings.AUTH_USER_MODEL
                    ),
                ),
                (
                    "system",
                    models.ForeignKey(
                        db_constraint=False,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="uploads",
                        to="board.system",
                    ),
                ),
                ("team", models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name="uploads", to="accounts.team")),
            ],
            options={
                "verbose_name": "submission",
            },
        ),
        migrations.CreateModel(
            name="Transition",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("state", models.CharField(max_length=12)),
                ("at", models.DateTimeField(auto_now_add=True)),
                ("actor", models.CharField(max_length=100)),
                ("reason", models.TextField(blank=True)),
                (
                    "upload",
                    models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name="transitions", to="submitting.upload"),
                ),
            ],
        ),
        migrations.CreateModel(
            name="Suspicion",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "kind",
                    models.CharField(
                        choices=[("near-copy", "nearly another team's answers"), ("probing", "probes for labels")], max_length=10
                    ),
                ),
                ("details", models.JSONField(default=dict)),
                ("made", models.DateTimeField(auto_now_add=True)),
                ("settled", models.BooleanField(default=False)),
                (
                    "other",
                    models.ForeignKey(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name="+", to="submitting.upload"),
                ),
                (
                    "upload",
                    models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name="suspicions", to="submitting.upload"),
                ),
            ],
            options={
                "verbose_name_plural": "suspicions",
            },
        ),
        migrations.CreateModel(
            name="Slot",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("suite", models.SlugField(max_length=100)),
                ("version", models.CharField(max_length=50)),
                ("task", models.SlugField(max_length=100)),
                ("at", models.DateTimeField()),
                ("returned", models.BooleanField(default=False)),
                ("team", models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name="slots", to="accounts.team")),
                ("upload", models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name="slots", to="submitting.upload")),
            ],
        ),
        migrations.CreateModel(
            name="ScoreRevision",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("version", models.CharField(max_length=50)),
                ("data", models.CharField(max_length=64)),
                ("scorer", models.CharField(max_length=50)),
                ("document", models.JSONField()),
                ("made", models.DateTimeField(auto_now_add=True)),
                (
                    "upload",
                    models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name="revisions", to="submitting.upload"),
                ),
            ],
        ),
        migrations.CreateModel(
            name="RescoredValue",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("system", models.CharField(max_length=200)),
                ("task", models.CharField(max_length=100)),
                ("metric", models.CharField(max_length=50)),
                ("old", models.FloatField(null=True)),
                ("new", models.FloatField(null=True)),
                ("note", models.TextField(blank=True)),
                (
                    "rescoring",
                    models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name="values", to="submitting.rescoring"),
                ),
                ("upload", models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, to="submitting.upload")),
            ],
        ),
        migrations.CreateModel(
            name="FactSheet",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("name", models.CharField(max_length=150)),
                ("family", models.CharField(blank=True, max_length=100)),
                ("parameters", models.BigIntegerField(blank=True, null=True)),
                ("data_size", models.FloatField(blank=True, null=True)),
                ("data_kind", models.TextField(blank=True, max_length=2000)),
                ("link", models.URLField(blank=True, max_length=500)),
                ("description", models.TextField(blank=True, max_length=10000)),
                ("trained", models.JSONField(blank=True, default=dict)),
                ("anonymous_until", models.DateField(blank=True, null=True)),
                (
                    "state",
                    models.CharField(
                        choices=[("draft", "draft"), ("review", "in review"), ("approved", "approved"), ("rejected", "rejected")],
                        default="draft",
                        max_length=10,
                    ),
                ),
                ("reason", models.TextField(blank=True)),
                ("made", models.DateTimeField(auto_now_add=True)),
                ("decided", models.DateTimeField(null=True)),
                ("upload", models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name="sheets", to="submitting.upload")),
            ],
            options={
                "verbose_name": "facts",
                "verbose_name_plural": "facts",
            },
        ),
        migrations.CreateModel(
            name="AnswerVector",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("task", models.CharField(max_length=200)),
                ("answers", models.BinaryField()),
                ("team", models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, to="accounts.team")),
                ("upload", models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name="vectors", to="submitting.upload")),
            ],
        ),
        migrations.CreateModel(
            name="Attempt",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("address", models.CharField(max_length=60)),
                ("at", models.DateTimeField(auto_now_add=True)),
                ("member", models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, to=settings.AUTH_USER_MODEL)),
            ],
            options={
                "indexes": [
                    models.Index(fields=["member", "at"], name="submitting__member__bb3eff_idx"),
                    models.Index(fields=["address", "at"], name="submitting__address_afd862_idx"),
                ],
            },
        ),
        migrations.CreateModel(
            name="LadderStep",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("task", models.CharField(max_length=200)),
                ("metric", models.CharField(max_length=50)),
                ("value", models.FloatField()),
                ("low", models.FloatField(null=True)),
                ("high", models.FloatField(null=True)),
                ("replicates", models.BinaryField()),
                ("team", models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, to="accounts.team")),
            ],
            options={
                "constraints": [models.UniqueConstraint(fields=("team", "task", "metric"), name="one_ladder_a_team")],
            },
        ),
        migrations.AddIndex(
            model_name="upload",
            index=models.Index(fields=["state", "queued"], name="submitting__state_e4ecea_idx"),
        ),
        migrations.AddIndex(
            model_name="upload",
            index=models.Index(fields=["team", "-made"], name="submitting__team_id_b67c84_idx"),
        ),
        migrations.AddIndex(
            model_name="slot",
            index=models.Index(fields=["team", "suite", "version", "task", "at"], name="submitting__team_id_ae1608_idx"),
        ),
        migrations.AddConstraint(
            model_name="scorerevision",
            constraint=models.UniqueConstraint(fields=("upload", "version", "data", "scorer"), name="one_score_a_state"),
        ),
        migrations.AddIndex(
            model_name="answervector",
            index=models.Index(fields=["task"], name="submitting__task_a1fb6e_idx"),
        ),
    ]
