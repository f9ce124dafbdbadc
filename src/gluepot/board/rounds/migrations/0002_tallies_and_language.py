"""A tally for every item, the language of a round, and a rater in each round as whom its keeper votes."""

import django.db.models.deletion
from django.db import migrations, models

FILL = """
INSERT INTO rounds_itemtally (round_id, item_id, question, pilot, taken)
SELECT i.round_id, i.id, q.question, i.kind = 'pilot',
       (SELECT count(*) FROM rounds_castvote v
        WHERE v.item_id = i.id AND v.question = q.question AND v.current AND NOT v.skipped AND NOT v.adjudicated)
       + (SELECT count(*) FROM rounds_itemlease l WHERE l.item_id = i.id AND l.question = q.question)
FROM rounds_rounditem i JOIN rounds_annotationround a ON a.id = i.round_id
CROSS JOIN LATERAL (SELECT jsonb_array_elements_text(CASE WHEN a.questions = '[]' THEN '[""]' ELSE a.questions END) AS question) q
WHERE i.kind IN ('main', 'pilot');
INSERT INTO rounds_roundrater (round_id, name, token, revoked)
SELECT id, 'adjudicator', encode(sha256(gen_random_uuid()::text::bytea), 'hex'), true FROM rounds_annotationround
ON CONFLICT (round_id, name) DO NOTHING;
"""


class Migration(migrations.Migration):
    dependencies = [("rounds", "0001_first_rounds")]

    operations = [
        migrations.AddField("annotationround", "language", models.CharField(blank=True, max_length=10)),
        migrations.AddField("itemlease", "live", models.BooleanField(default=True)),
        migrations.AddIndex("itemlease", models.Index(condition=models.Q(("live", True)), fields=["expires"], name="live_leases")),
        migrations.CreateModel(
            name="ItemTally",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("question", models.CharField(blank=True, max_length=200)),
                ("pilot", models.BooleanField(default=False)),
                ("taken", models.IntegerField(default=0)),
                (
                    "item",
                    models.ForeignKey(
                        db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name="tallies", to="rounds.rounditem"
                    ),
                ),
                (
                    "round",
                    models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name="tallies", to="rounds.annotationround"),
                ),
            ],
        ),
        migrations.AddConstraint("itemtally", models.UniqueConstraint(fields=("item", "question"), name="one_tally")),
        migrations.RunSQL(FILL, migrations.RunSQL.noop),
    ]
