"""References within an entity are held by their composite foreign keys alone.

Beside each stood one of Django's own. Every row written looked up its entity, its workspace and what it names
twice, and all who wrote in a workspace locked its row for it.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from django.db import migrations, models
from django.db.models.deletion import CASCADE, RESTRICT, SET_NULL

SQL = Path(__file__).parent / "sql"
OWNED = (
    *("atom", "chain", "correction", "digest", "feedback", "graphedge", "graphnode", "layercount", "line"),
    *("livevalue", "message", "procedure", "procedureline", "procedureversion", "rebuild", "review", "run"),
    *("scene", "sceneversion", "searchunit", "session", "share", "skillinput", "tasktrace", "termcount"),
    *("tracestep", "trait", "traitversion", "unindexed", "unitvector", "unpromoted", "use", "work"),
)
NOT_WITH_ANY_ENTITY = ("evidence", "languagesample", "outbox", "versionline")
OF_OUTBOX = {
    **{"null": True, "blank": True, "db_index": False},
    "help_text": "Empty for the event of an entity that was erased whole: `ids` says which it was.",
}
EMPTIED = {"null": True, "blank": True, "on_delete": SET_NULL}
RESTRICTED = {"null": True, "blank": True, "on_delete": RESTRICT}
UNINDEXED = {"db_index": False}
"""Where a unique key begins with the column, and with others: of a key on the column alone Django would take the
key for the index that is to go."""


def reference(model: str, name: str, to: str, related_name: str = "+", **options: Any) -> migrations.AlterField:
    """The same reference without a constraint of its own."""
    given = {"on_delete": CASCADE, "related_name": related_name, "to": f"memory.{to}", **options}
    return migrations.AlterField(model, name, models.ForeignKey(**given, db_constraint=False))


def owners(names: Sequence[str], owner: str) -> list[migrations.AlterField]:
    """That of each of these models to its workspace or entity."""
    return [reference(name, owner, owner, db_index=False) for name in names]


class Migration(migrations.Migration):
    dependencies = [("memory", "0015_urgent_work")]

    operations = [
        migrations.RunSQL(
            (SQL / "0016_one_constraint_a_reference.sql").read_text(),
            (SQL / "0016_one_constraint_a_reference_reverse.sql").read_text(),
        ),
        *owners(OWNED, "entity"),
        *owners((*OWNED, *NOT_WITH_ANY_ENTITY), "workspace"),
        reference("evidence", "entity", "entity"),
        reference("versionline", "entity", "entity"),
        reference("outbox", "entity", "entity", **OF_OUTBOX),
        migrations.AlterField(
            "languagesample",
            "entity",
            models.OneToOneField(
                "memory.entity", CASCADE, primary_key=True, related_name="+", db_constraint=False, serialize=False
            ),
        ),
        reference("message", "session", "session", "messages", **UNINDEXED),
        reference("message", "parent", "message", "children", **EMPTIED, **UNINDEXED),
        reference("atom", "chain", "chain", "atoms"),
        reference("atom", "superseded_by", "atom", "supersedes", **EMPTIED),
        reference("digest", "session", "session", "digests", **UNINDEXED),
        reference("scene", "merged_into", "scene", "absorbed", **EMPTIED),
        reference("line", "scene", "scene", "lines"),
        reference("line", "correction", "correction", "lines", **RESTRICTED),
        reference("sceneversion", "scene", "scene", "versions"),
        reference("sceneversion", "correction", "correction", "scene_versions", **RESTRICTED),
        reference("versionline", "version", "sceneversion", "places", **UNINDEXED),
        reference("versionline", "line", "line", "places"),
        reference("traitversion", "trait", "trait", "versions"),
        reference("traitversion", "correction", "correction", "trait_versions", **RESTRICTED),
    ]
