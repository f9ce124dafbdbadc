"""Hidden answers, and how often a team has tried."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("submitting", "0001_first_tables"),
    ]

    operations = [
        migrations.AddField(
            model_name="ladderstep",
            name="tries",
            field=models.IntegerField(default=1),
        ),
        migrations.CreateModel(
            name="HiddenLabels",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("suite", models.SlugField(max_length=100)),
                ("version", models.CharField(max_length=50)),
                ("task", models.CharField(max_length=100)),
                ("split", models.CharField(max_length=50)),
                ("answers", models.BinaryField()),
                ("salt", models.CharField(max_length=64)),
                ("made", models.DateTimeField(auto_now=True)),
            ],
            options={
                "constraints": [models.UniqueConstraint(fields=("suite", "version", "task", "split"), name="one_set_of_labels")],
            },
        ),
    ]
