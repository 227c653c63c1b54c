"""Composite keys and evidence of skills, and their queue: see sql/0010_stewardship_skills.sql."""

from pathlib import Path

from django.db import migrations

SQL = Path(__file__).parent / "sql"


class Migration(migrations.Migration):
    dependencies = [("memory", "0009_stewardship_skills")]

    operations = [
        migrations.RunSQL(
            (SQL / "0010_stewardship_skills.sql").read_text(),
            (SQL / "0010_stewardship_skills_reverse.sql").read_text(),
        ),
    ]
