"""Atoms of an entity are counted by their status in an index of a few pages."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("memory", "0013_chat_runs")]

    operations = [
        migrations.AddIndex(
            model_name="atom", index=models.Index(fields=["entity", "status"], name="atom_standing")
        ),
    ]
