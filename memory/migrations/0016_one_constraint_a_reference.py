"""References within an entity are held by their composite foreign keys alone.

Beside each stood one of Django's own. Every row written looked up its entity, its workspace and what it names
twice, and all who wrote in a workspace locked its row for it. The constraints go in SQL, by the names that Django
gave them: altering ninety fields one by one would make all models anew for each, which takes longer than all
migrations before.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from django.db import migrations, models
from django.db.migrations.state import ProjectState
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
"""Where a unique key begins with the same column."""


class AlteredReferences(migrations.operations.base.Operation):
    """Fields by model and name, as they are from now on; what the database needs for it is done elsewhere."""

    reversible = True

    def __init__(self, fields: Mapping[tuple[str, str], models.Field[Any, Any]]) -> None:
        self.fields = fields

    def state_forwards(self, app_label: str, state: ProjectState) -> None:
        """All at once."""
        for (model, name), field in self.fields.items():
            state.models[app_label, model].fields[name] = field
        state.reload_models({(app_label, model) for model, _ in self.fields})

    def database_forwards(self, *_: object) -> None:
        """Nothing."""

    def database_backwards(self, *_: object) -> None:
        """Nothing."""

    def describe(self) -> str:
        """For whoever lists operations."""
        return f"Alter {len(self.fields)} references"


def reference(to: str, related_name: str = "+", **options: Any) -> models.ForeignKey[Any, Any]:
    """The same reference without a constraint of its own."""
    given = {"on_delete": CASCADE, "related_name": related_name, "to": f"memory.{to}", **options}
    return models.ForeignKey(**given, db_constraint=False)


REFERENCES: Mapping[tuple[str, str], models.Field[Any, Any]] = {
    **{(model, "entity"): reference("entity", db_index=False) for model in OWNED},
    **{(model, "workspace"): reference("workspace", db_index=False) for model in (*OWNED, *NOT_WITH_ANY_ENTITY)},
    ("evidence", "entity"): reference("entity"),
    ("versionline", "entity"): reference("entity"),
    ("outbox", "entity"): reference("entity", **OF_OUTBOX),
    ("languagesample", "entity"): models.OneToOneField(
        "memory.entity", CASCADE, primary_key=True, related_name="+", db_constraint=False, serialize=False
    ),
    ("message", "session"): reference("session", "messages", **UNINDEXED),
    ("message", "parent"): reference("message", "children", **EMPTIED, **UNINDEXED),
    ("atom", "chain"): reference("chain", "atoms"),
    ("atom", "superseded_by"): reference("atom", "supersedes", **EMPTIED),
    ("digest", "session"): reference("session", "digests", **UNINDEXED),
    ("scene", "merged_into"): reference("scene", "absorbed", **EMPTIED),
    ("line", "scene"): reference("scene", "lines"),
    ("line", "correction"): reference("correction", "lines", **RESTRICTED),
    ("sceneversion", "scene"): reference("scene", "versions"),
    ("sceneversion", "correction"): reference("correction", "scene_versions", **RESTRICTED),
    ("versionline", "version"): reference("sceneversion", "places", **UNINDEXED),
    ("versionline", "line"): reference("line", "places"),
    ("traitversion", "trait"): reference("trait", "versions"),
    ("traitversion", "correction"): reference("correction", "trait_versions", **RESTRICTED),
}


class Migration(migrations.Migration):
    dependencies = [("memory", "0015_urgent_work")]

    operations = [
        migrations.RunSQL(
            (SQL / "0016_one_constraint_a_reference.sql").read_text(),
            (SQL / "0016_one_constraint_a_reference_reverse.sql").read_text(),
        ),
        AlteredReferences(REFERENCES),
    ]
