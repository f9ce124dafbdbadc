"""The tables of rounds, raters, leases and votes."""

import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    initial = True

    dependencies = []

    operations = [
        migrations.CreateModel(
            name="AnnotationRound",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("name", models.SlugField(max_length=120, unique=True)),
                ("task", models.CharField(max_length=200)),
                ("split", models.CharField(max_length=50)),
                ("title", models.CharField(max_length=300)),
                ("declaration", models.JSONField()),
                ("votes", models.IntegerField()),
                ("questions", models.JSONField(default=list)),
                ("guidelines", models.TextField(blank=True)),
                ("consent", models.TextField(blank=True)),
                ("lease_minutes", models.FloatField(default=20)),
                ("keeper", models.CharField(max_length=64)),
                ("closed", models.BooleanField(default=False)),
                ("opened", models.DateTimeField(auto_now_add=True)),
            ],
        ),
        migrations.CreateModel(
            name="RoundItem",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("item", models.CharField(max_length=300)),
                ("kind", models.CharField(max_length=10)),
                ("place", models.IntegerField()),
                ("inputs", models.JSONField()),
                ("gold", models.JSONField(null=True)),
                (
                    "round",
                    models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name="items", to="rounds.annotationround"),
                ),
            ],
        ),
        migrations.CreateModel(
            name="RoundRater",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("name", models.CharField(max_length=60)),
                ("token", models.CharField(max_length=64, unique=True)),
                ("revoked", models.BooleanField(default=False)),
                ("consented", models.DateTimeField(null=True)),
                (
                    "round",
                    models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name="raters", to="rounds.annotationround"),
                ),
            ],
        ),
        migrations.CreateModel(
            name="ItemLease",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("question", models.CharField(blank=True, max_length=200)),
                ("since", models.DateTimeField()),
                ("expires", models.DateTimeField()),
                ("item", models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name="leases", to="rounds.rounditem")),
                ("rater", models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name="leases", to="rounds.roundrater")),
            ],
        ),
        migrations.CreateModel(
            name="CastVote",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("question", models.CharField(blank=True, max_length=200)),
                ("value", models.JSONField(null=True)),
                ("skipped", models.BooleanField(default=False)),
                ("comment", models.TextField(blank=True)),
                ("seconds", models.FloatField(null=True)),
                ("at", models.DateTimeField(auto_now_add=True)),
                ("current", models.BooleanField(default=True)),
                ("adjudicated", models.BooleanField(default=False)),
                ("item", models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name="cast", to="rounds.rounditem")),
                ("rater", models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name="cast", to="rounds.roundrater")),
            ],
        ),
        migrations.AddConstraint(
            model_name="roundrater",
            constraint=models.UniqueConstraint(fields=("round", "name"), name="one_rater_a_name"),
        ),
        migrations.AddConstraint(
            model_name="itemlease",
            constraint=models.UniqueConstraint(fields=("item", "rater", "question"), name="one_lease"),
        ),
        migrations.AddConstraint(
            model_name="castvote",
            constraint=models.UniqueConstraint(
                condition=models.Q(("current", True)), fields=("item", "rater", "question"), name="one_current_vote"
            ),
        ),
    ]
