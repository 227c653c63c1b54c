"""The queue of changed atoms, looked up key by key: see sql/0006_changed_atoms.sql."""

from pathlib import Path

from django.db import migrations

SQL = Path(__file__).parent / "sql"


class Migration(migrations.Migration):
    dependencies = [("memory", "0005_designs")]

    operations = [
        migrations.RunSQL(
            (SQL / "0006_changed_atoms.sql").read_text(), (SQL / "0006_changed_atoms_reverse.sql").read_text()
        ),
    ]
