"""A claim of which an earlier saying comes in is promoted anew: see sql/0019_claims_said_earlier.sql."""

from pathlib import Path

from django.db import migrations

SQL = Path(__file__).parent / "sql"


class Migration(migrations.Migration):
    dependencies = [("memory", "0018_newest_units")]

    operations = [
        migrations.RunSQL(
            (SQL / "0019_claims_said_earlier.sql").read_text(),
            (SQL / "0019_claims_said_earlier_reverse.sql").read_text(),
        ),
    ]
