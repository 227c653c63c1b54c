"""Composite keys, evidence of digests and the queue of promotion: see sql/0008_sessions_claims_graph.sql."""

from pathlib import Path

from django.db import migrations

SQL = Path(__file__).parent / "sql"


class Migration(migrations.Migration):
    dependencies = [("memory", "0007_sessions_claims_graph")]

    operations = [
        migrations.RunSQL(
            (SQL / "0008_sessions_claims_graph.sql").read_text(),
            (SQL / "0008_sessions_claims_graph_reverse.sql").read_text(),
        ),
    ]
