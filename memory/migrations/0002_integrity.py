"""Composite foreign keys, the evidence triggers and the refusal of edits: see sql/0002_integrity.sql."""

from pathlib import Path

from django.db import migrations

SQL = Path(__file__).parent / "sql"


class Migration(migrations.Migration):
    dependencies = [("memory", "0001_tables")]

    operations = [
        migrations.RunSQL(
            (SQL / "0002_integrity.sql").read_text(), (SQL / "0002_integrity_reverse.sql").read_text()
        )
    ]
