"""What a person changed is taken in at once: the work says that somebody waits."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("memory", "0014_atoms_counted")]

    operations = [
        migrations.AddField(
            model_name="work",
            name="is_urgent",
            field=models.BooleanField(
                default=False, help_text="A person changed something: no interval until it is done."
            ),
        ),
    ]
