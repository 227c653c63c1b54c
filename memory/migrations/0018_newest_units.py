"""Units of an entity by their age: a word that is everywhere is looked for among its newest.

The index is built while others write: it would keep them waiting for minutes in a large database.
"""

from django.contrib.postgres.operations import AddIndexConcurrently
from django.db import migrations, models
from django.db.models import F


class Migration(migrations.Migration):
    atomic = False
    dependencies = [("memory", "0017_record_counts")]

    operations = [
        AddIndexConcurrently(
            model_name="searchunit",
            index=models.Index(F("entity"), F("id").desc(), name="search_unit_newest"),
        ),
    ]
