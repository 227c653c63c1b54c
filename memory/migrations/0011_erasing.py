"""Statistics that would outlive erased words (sql/0011_erasing.sql); units found by their owner; parked inputs."""

from pathlib import Path

from django.db import migrations, models

SQL = Path(__file__).parent / "sql"
OWNERS = {
    "search_unit_message_once": (["message"], "message"),
    "search_unit_atom_once": (["atom"], "atom"),
    "search_unit_section_once": (["scene", "section"], "scene"),
    "search_unit_trait_once": (["trait"], "trait"),
}


def found_by_owner(name: str, fields: list[str], owner: str) -> list[migrations.operations.base.Operation]:
    """The condition as deleting the owner asks it: an index by layer would serve no foreign key."""
    constraint = models.UniqueConstraint(
        condition=models.Q((f"{owner}__isnull", False)), fields=tuple(fields), name=name
    )
    return [
        migrations.RemoveConstraint(model_name="searchunit", name=name),
        migrations.AddConstraint(model_name="searchunit", constraint=constraint),
    ]


def parked(name: str) -> models.Index:
    """What a failed run set aside, counted by entity."""
    waits = models.Q(("consumed_by__isnull", True), ("parked_at__isnull", False))
    return models.Index(condition=waits, fields=["entity"], name=name)


class Migration(migrations.Migration):
    dependencies = [
        ("memory", "0010_stewardship_skills_integrity"),
        ("admin", "0003_logentry_add_action_flag_choices"),
    ]

    operations = [
        migrations.AddIndex(model_name="sceneversion", index=parked("scene_version_parked")),
        migrations.AddIndex(model_name="unpromoted", index=parked("unpromoted_parked")),
        *(step for name, owner in OWNERS.items() for step in found_by_owner(name, *owner)),
        migrations.RunSQL(
            (SQL / "0011_erasing.sql").read_text(),
            (SQL / "0011_erasing_reverse.sql").read_text(),
        ),
    ]
