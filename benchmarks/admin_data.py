"""Rows for every table of the admin, by INSERT ... SELECT, constraints of other tables set aside.

A column that is not named takes NULL where it may, else its field's default or an empty value.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import psycopg

    from memory.models import Entity

NOW = "now() - n * interval '26 seconds'"
# Table, columns as SQL over `n` and over rows picked of other tables, and which those are.
TABLES: tuple[tuple[str, Mapping[str, str], tuple[str, ...]], ...] = (
    ("session", {"external_id": "'session-' || n"}, ()),
    ("chain", {}, ()),
    (
        "message",
        {
            "session_id": "session.id",
            "ordinal": "n / 2000",
            "role": "(ARRAY['user', 'assistant'])[1 + n % 2]",
            "speaker": "(ARRAY['Alice', 'Assistant'])[1 + n % 2]",
            "text": "'What was said in turn ' || n || repeat(', and more of it', n % 20)",
            "occurred_at": NOW,
            "recorded_at": NOW,
            "content_hash": "sha256(n::text::bytea)",
            "consumed_by_id": "CASE WHEN n % 50 > 0 THEN message_reader.id END",
        },
        ("few_sessions", "message_reader"),
    ),
    (
        "atom",
        {
            "chain_id": "chain.id",
            "text": "'Claim ' || n || ' says what holds since turn ' || n",
            "kind": "(ARRAY['persona', 'episodic', 'instruction'])[1 + n % 3]",
            "priority": "n % 100",
            "topic": "'topic ' || n % 300",
            "status": "CASE WHEN n % 7 = 0 THEN 'superseded' ELSE 'live' END",
            "occurred_at": NOW,
            "terms": "ARRAY['claim', 'turn', n::text]",
            "consumed_by_id": "CASE WHEN n % 50 > 0 THEN chain.id END",
        },
        ("chain",),
    ),
    ("evidence", {"of_atom_id": "atom.id", "message_id": "message.id"}, ("atom", "message")),
    (
        "searchunit",
        {"layer": "1", "atom_id": "atom.id", "terms": "ARRAY[n, n % 1000]", "frequencies": "'{1,1}'"},
        ("atom",),
    ),
    ("unitvector", {"unit_id": "unit.id", "space_id": "1", "embedding": "'[0.6,0.8]'"}, ("unit",)),
    ("termcount", {"term": "n", "units": "1"}, ()),
    ("recordcount", {"layer": "0", "heads": "1", "versions": "1"}, ()),
    (
        "run",
        {
            "step": "(ARRAY['l1_extract', 'scene_synthesis', 'persona', 'promotion'])[1 + n % 4]",
            "status": "CASE WHEN n % 40 = 0 THEN 'failed' ELSE 'succeeded' END",
            "error_kind": "CASE WHEN n % 40 = 0 THEN 'invalid_json' ELSE '' END",
            "raw_answer": "CASE WHEN n % 40 = 0 THEN repeat('no answer ', 200) ELSE '' END",
            "inputs": "jsonb_build_object('messages', jsonb_build_array(message.id))",
            "outputs": "jsonb_build_object('atoms', jsonb_build_array(atom.id))",
            "decisions": "jsonb_build_array(jsonb_build_object('outcome', 'store', 'atom', atom.id))",
            "model": "'model-' || n % 3",
            "tokens_in": "500 + n % 3000",
            "tokens_out": "50 + n % 300",
            "cost": "0.0001 * (n % 50)",
            "milliseconds": "300 + n % 2000",
            "started_at": NOW,
            "finished_at": f"{NOW} + interval '2 seconds'",
        },
        ("message", "atom"),
    ),
    ("correction", {"kind": "'atom_superseded'", "reason": "'reason ' || n"}, ()),
    ("outbox", {"event": "'message.stored'", "ids": "'{}'::jsonb"}, ()),
    (
        "digest",
        {
            "session_id": "session.id",
            "kind": "'summary'",
            "number": "n",
            "text": "'What was said until turn ' || n",
            "until_ordinal": "n",
            "is_head": "false",
        },
        ("session",),
    ),
    ("scene", {"slug": "'s' || n", "status": "CASE WHEN n <= 15 THEN 'live' ELSE 'retired' END",
               "slot": "CASE WHEN n <= 15 THEN n END"}, ()),
    (
        "sceneversion",
        {
            "scene_id": "scene.id",
            "number": "1 + n / 1000",
            "title": "'Scene ' || n",
            "summary": "'What scene ' || n || ' is about.'",
            "is_head": "n > {rows} - 1000",
        },
        ("few_scenes",),
    ),
    (
        "line",
        {
            "scene_id": "scene.id",
            "section": "(ARRAY['work_context', 'core_sop', 'prohibitions', 'key_evidence'])[1 + n % 4]",
            "text": "'Line ' || n || ' says what has to be kept in mind.'",
        },
        ("few_scenes",),
    ),
    (
        "versionline",
        {"version_id": "version.id", "line_id": "line.id", "position": "n / 2000"},
        ("few_versions", "line"),
    ),
    (
        "traitversion",
        {"trait_id": "trait.id", "number": "n", "text": "'Trait as of ' || n", "is_head": "n <= 5"},
        ("trait",),
    ),
    (
        "use",
        {
            "kind": "'context'",
            "sha256": "repeat('0', 64)",
            "tokens": "n % 4000",
            "manifest": "'{}'::jsonb",
            "records": "ARRAY[atom.id]",
            "expires_at": "now() + interval '90 days'",
        },
        ("atom",),
    ),
    ("feedback", {"use_id": "use.id", "kind": "'thumbs_up'", "source": "'end_user'",
                  "comment": "'Comment ' || n"}, ("use",)),
    ("tasktrace", {"task": "'Task ' || n", "outcome": "'success'"}, ()),
    ("tracestep", {"trace_id": "trace.id", "position": "n / 100000", "kind": "'action'",
                   "text": "'Step ' || n"}, ("trace",)),
    ("skillinput", {"trace_id": "trace.id"}, ("trace",)),
    ("procedure", {"slug": "'p' || n"}, ()),
    (
        "procedureversion",
        {"procedure_id": "procedure.id", "number": "1", "title": "'Procedure ' || n", "status": "'active'"},
        ("procedure",),
    ),
    ("procedureline", {"version_id": "procedureversion.id", "section": "'procedure'", "position": "0",
                       "text": "'Do ' || n"}, ("procedureversion",)),
    ("review", {"version_id": "procedureversion.id", "verdict": "'approved'"}, ("procedureversion",)),
    ("unindexed", {"layer": "1", "row": "atom.id"}, ("atom",)),
    ("unpromoted", {"atom_id": "atom.id"}, ("atom",)),
    ("graphnode", {"kind": "'customer'", "identifier": "'customer-' || n"}, ()),
    (
        "graphedge",
        {"subject_id": "node.id", "predicate": "'plan'", "value": "'1'::jsonb", "atom_id": "atom.id"},
        ("node", "atom"),
    ),
    ("rebuild", {"layer": "'L3'", "status": "'discarded'", "model": "'offline@1'", "ended_at": "now()"}, ()),
    (
        "erasure",
        {"entity_mark": "''", "scope": "'messages'", "status": "'done'", "done_at": NOW, "expires_at": NOW},
        (),
    ),
    ("tombstone", {"erasure_id": "erasure.id", "digest": "sha256(n::text::bytea)"}, ("erasure",)),
    ("key", {"label": "'agent ' || n", "prefix": "'msk_'", "digest": "'d' || n", "scopes": "'{read}'"}, ()),
)  # fmt: skip
PICKS = {
    "message": ("message", 100_000),
    "message_reader": ("chain", 1_000),
    "chain": ("chain", 100_000),
    "few_sessions": ("session", 2_000),
    "unit": ("searchunit", 100_000),
    "atom": ("atom", 100_000),
    "session": ("session", 2_000),
    "scene": ("scene", 1_000),
    "few_scenes": ("scene", 1_000),
    "few_versions": ("sceneversion", 2_000),
    "line": ("line", 100_000),
    "trait": ("trait", 5),
    "use": ("use", 100_000),
    "trace": ("tasktrace", 100_000),
    "procedure": ("procedure", 100_000),
    "procedureversion": ("procedureversion", 100_000),
    "node": ("graphnode", 100_000),
    "erasure": ("erasure", 100_000),
    "other": ("entity", 500),
}
ALIASES = {"few_sessions": "session", "few_scenes": "scene", "few_versions": "version"}
OTHERS = 500
"""So many entities more, that have said nothing."""


def fill_tables(connection: psycopg.Connection, entity: Entity, rows: int) -> None:
    """So many rows of an entity in every table; the connection is a superuser's."""
    connection.execute("SET session_replication_role = replica")
    connection.execute(
        "INSERT INTO memory_embeddingspace (id, name, dimensions) VALUES (1, 'plane/2', 2) "
        "ON CONFLICT DO NOTHING"
    )
    _fill(connection, "trait", {"slot": "(ARRAY['archetype', 'role', 'technical_preferences', "
          "'interaction_protocol', 'decision_pattern'])[n]"}, (), entity, 5)  # fmt: skip
    _fill(connection, "entity", {"name": "'agent.other-' || n"}, (), entity, OTHERS)
    _fill(connection, "work", {"entity_id": "other.id", "step": "'persona'"}, ("other",), entity, OTHERS)
    for table, columns, picks in TABLES:
        _fill(connection, table, columns, picks, entity, rows)
    connection.execute("VACUUM (ANALYZE)")


def _fill(
    connection: psycopg.Connection,
    table: str,
    columns: Mapping[str, str],
    picks: tuple[str, ...],
    entity: Entity,
    rows: int,
) -> None:
    wanted = {**_owner(table, entity), **_rest(table), **columns}
    joins = " ".join(_join(pick) for pick in picks)
    # Only names and SQL of this file are put together.
    statement = (
        f"INSERT INTO memory_{table} ({', '.join(wanted)}) "  # noqa: S608
        f"SELECT {', '.join(wanted.values())} FROM generate_series(1, {{rows}}) n {joins} "
        "ON CONFLICT DO NOTHING"
    )
    connection.execute(statement.replace("{rows}", str(rows)))


def _join(pick: str) -> str:
    """Rows of another table, again from the first one when there are fewer of them."""
    table, most = PICKS[pick]
    alias = ALIASES.get(pick, pick)
    rows = f"SELECT id FROM memory_{table} ORDER BY id LIMIT {most}"  # noqa: S608
    # The number of rows is looked up once: with it beside each row the planner compares all with all.
    return (
        f"JOIN (SELECT id, row_number() OVER (ORDER BY id) AS place FROM ({rows}) some_rows) {alias} "  # noqa: S608
        f"ON {alias}.place = (n - 1) % (SELECT count(*) FROM ({rows}) all_rows) + 1"
    )


def _owner(table: str, entity: Entity) -> dict[str, str]:
    columns = {field.column for field in _model(table)._meta.concrete_fields}
    owner = {"workspace_id": f"'{entity.workspace_id}'::uuid", "entity_id": f"'{entity.pk}'::uuid"}
    return {name: value for name, value in owner.items() if name in columns}


def _rest(table: str) -> dict[str, str]:
    """A value for each column that has to have one."""
    from django.db.models import NOT_PROVIDED

    found: dict[str, str] = {}
    for field in _model(table)._meta.concrete_fields:
        has_default = field.db_default is not NOT_PROVIDED or field.null
        if field.primary_key and field.get_internal_type() == "UUIDField":
            found[field.column] = "uuidv7()"
        elif not (field.primary_key or has_default or field.is_relation):
            found[field.column] = _literal(field)
    return found


def _literal(field: Any) -> str:
    kind = field.get_internal_type()
    if kind in {"JSONField", "ArrayField"}:
        return "'[]'::jsonb" if kind == "JSONField" and field.default is list else "'{}'"
    if kind == "BooleanField":
        return str(bool(field.get_default())).lower()
    if "Integer" in kind or kind == "DecimalField":
        return str(field.get_default() or 0)
    return "now()" if "Date" in kind else f"'{field.get_default() or ''}'"


def _model(table: str) -> Any:
    from django.apps import apps

    return apps.get_model("memory", table)
