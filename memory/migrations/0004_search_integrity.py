"""Composite keys of search units and the queue of what waits for the index step: see sql/0004_search.sql."""

from pathlib import Path

from django.db import migrations

SQL = Path(__file__).parent / "sql"


class Migration(migrations.Migration):
    dependencies = [("memory", "0003_search")]

    operations = [
        migrations.RunSQL((SQL / "0004_search.sql").read_text(), (SQL / "0004_search_reverse.sql").read_text())
    ]
