"""Replies that passed through the memory proxy are runs too: they count in the tokens of the day."""

from django.db import migrations, models

STEPS = [
    ("l1_extract", "L1 Extract"),
    ("scene_synthesis", "Scene Synthesis"),
    ("persona", "Persona"),
    ("compaction", "Compaction"),
    ("promotion", "Promotion"),
    ("skill_extract", "Skill Extract"),
    ("answer", "answer"),
    ("chat", "chat"),
]


class Migration(migrations.Migration):
    dependencies = [("memory", "0012_shares_replies_events")]

    operations = [
        migrations.RemoveConstraint(model_name="run", name="run_step_known"),
        # On the way back these rows have no step that is known.
        migrations.RunSQL(migrations.RunSQL.noop, "DELETE FROM memory_run WHERE step = 'chat'"),
        migrations.AlterField(
            model_name="run", name="step", field=models.CharField(choices=STEPS, max_length=32)
        ),
        migrations.AddConstraint(
            model_name="run",
            constraint=models.CheckConstraint(
                condition=models.Q(("step__in", [step for step, _ in STEPS])), name="run_step_known"
            ),
        ),
    ]
