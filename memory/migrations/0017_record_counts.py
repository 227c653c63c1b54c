"""How many messages and atoms an entity has, as changes that triggers write: see sql/0017_record_counts.sql."""

from pathlib import Path

import django.db.models.deletion
from django.db import migrations, models

SQL = Path(__file__).parent / "sql"
OWNER = {
    "db_constraint": False,
    "db_index": False,
    "on_delete": django.db.models.deletion.CASCADE,
    "related_name": "+",
}


class Migration(migrations.Migration):
    dependencies = [("memory", "0016_one_constraint_a_reference")]

    operations = [
        migrations.CreateModel(
            name="RecordCount",
            fields=[
                ("id", models.BigAutoField(primary_key=True, serialize=False)),
                (
                    "layer",
                    models.PositiveSmallIntegerField(
                        choices=[(0, "message"), (1, "atom"), (2, "section"), (3, "trait")]
                    ),
                ),
                ("heads", models.BigIntegerField(help_text="So many more that hold; fewer below zero.")),
                (
                    "versions",
                    models.BigIntegerField(help_text="So many more in all, with what holds no longer."),
                ),
                ("entity", models.ForeignKey(**OWNER, to="memory.entity")),
                ("workspace", models.ForeignKey(**OWNER, to="memory.workspace")),
            ],
            options={
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(("layer__in", [0, 1])), name="record_count_layer"
                    )
                ],
                "indexes": [models.Index(fields=["entity", "layer"], name="record_count_entity")],
            },
        ),
        migrations.RunSQL(
            (SQL / "0017_record_counts.sql").read_text(), (SQL / "0017_record_counts_reverse.sql").read_text()
        ),
    ]
