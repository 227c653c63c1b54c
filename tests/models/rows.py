"""Copies of named rows, made by plain SQL: accepted, unless a change to the copy breaks something.

The rows are those of world.py, each with a name, for example `own.atom`.
"""

import itertools
import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any
from uuid import UUID

import pytest
from django.db import IntegrityError, connection
from psycopg import sql

from memory.models.base import new_id

RowId = UUID | int
World = dict[str, RowId]
_numbers = itertools.count(1_000_000)
_small_numbers = itertools.count(10_000)

TABLES = {
    "workspace": "memory_workspace",
    "member": "memory_member",
    "key": "memory_key",
    "key_entity": "memory_key_entities",
    "entity": "memory_entity",
    "session": "memory_session",
    "message": "memory_message",
    "reply": "memory_message",
    "chain": "memory_chain",
    "atom": "memory_atom",
    "old_atom": "memory_atom",
    "correction": "memory_correction",
    "scene": "memory_scene",
    "merged_scene": "memory_scene",
    "line": "memory_line",
    "corrected_line": "memory_line",
    "version": "memory_sceneversion",
    "corrected_version": "memory_sceneversion",
    "place": "memory_versionline",
    "trait": "memory_trait",
    "trait_version": "memory_traitversion",
    "corrected_trait_version": "memory_traitversion",
    "receipt_of_atom": "memory_evidence",
    "receipt_of_line": "memory_evidence",
    "receipt_of_trait": "memory_evidence",
    "correction_receipt": "memory_evidence",
    "run": "memory_run",
    "work": "memory_work",
    "outbox": "memory_outbox",
    "design": "memory_installeddesign",
    "rebuild": "memory_rebuild",
    "shadow": "memory_entity",
    "process": "memory_process",
    "endpoint": "memory_modelendpoint",
    "search_unit": "memory_searchunit",
    "atom_unit": "memory_searchunit",
    "section_unit": "memory_searchunit",
    "trait_unit": "memory_searchunit",
    "unit_vector": "memory_unitvector",
    "term_count": "memory_termcount",
    "layer_count": "memory_layercount",
    "record_count": "memory_recordcount",
    "unindexed": "memory_unindexed",
    "space": "memory_embeddingspace",
    "digest": "memory_digest",
    "receipt_of_digest": "memory_evidence",
    "claim": "memory_atom",
    "live_claim": "memory_atom",
    "source": "memory_livesource",
    "policy": "memory_policy",
    "live_policy": "memory_policy",
    "live_value": "memory_livevalue",
    "graph_node": "memory_graphnode",
    "other_node": "memory_graphnode",
    "edge": "memory_graphedge",
    "unpromoted": "memory_unpromoted",
    "trace": "memory_tasktrace",
    "trace_step": "memory_tracestep",
    "procedure": "memory_procedure",
    "procedure_version": "memory_procedureversion",
    "draft": "memory_procedureversion",
    "procedure_line": "memory_procedureline",
    "asked_line": "memory_procedureline",
    "receipt_of_procedure": "memory_evidence",
    "feedback_receipt": "memory_evidence",
    "review": "memory_review",
    "use": "memory_use",
    "feedback": "memory_feedback",
    "trace_input": "memory_skillinput",
    "feedback_input": "memory_skillinput",
    "erasure": "memory_erasure",
    "tombstone": "memory_tombstone",
    "share": "memory_share",
    "idempotent_reply": "memory_idempotentreply",
    "gone": "memory_outbox",
}


@dataclass(frozen=True)
class Ref:
    """The id of a named row, known only when the rows are made."""

    row: str

    def __str__(self) -> str:
        return self.row


class Kept:
    """A copy takes the original's value, even where it may stand only once."""

    def __str__(self) -> str:
        return "the same"


KEPT = Kept()


def fresh_word() -> str:
    return f"fresh {next(_numbers)}"


def fresh_number() -> int:
    return next(_numbers)


def fresh_small_number() -> int:
    return next(_small_numbers)


Values = Mapping[str, Callable[[], Any] | Any]
FRESH: dict[str, Values] = {
    "workspace": {"id": new_id, "name": fresh_word},
    "member": {"id": new_id, "user_id": Ref("other_user")},
    "key": {"id": new_id, "digest": fresh_word},
    "key_entity": {"id": fresh_number, "entity_id": Ref("near.entity")},
    "entity": {"id": new_id, "name": fresh_word, "user_id": fresh_word},
    "session": {"id": new_id, "external_id": fresh_word},
    "message": {"id": new_id, "seq": fresh_number, "ordinal": fresh_number, "dedupe_key": fresh_word},
    "reply": {"id": new_id, "seq": fresh_number, "ordinal": fresh_number},
    "chain": {"id": new_id},
    "atom": {"id": new_id, "seq": fresh_number, "text": fresh_word, "chain_id": Ref("own.spare_chain")},
    "old_atom": {"id": new_id, "seq": fresh_number},
    "correction": {"id": new_id},
    "scene": {"id": new_id, "slug": fresh_word, "slot": 2},
    "merged_scene": {"id": new_id, "slug": fresh_word},
    "line": {"id": new_id},
    "corrected_line": {"id": new_id},
    "version": {"id": new_id, "seq": fresh_number, "number": 2, "is_head": False},
    "corrected_version": {"id": new_id, "seq": fresh_number, "number": fresh_number},
    "place": {"id": fresh_number, "position": 7, "line_id": Ref("own.spare_line")},
    "trait": {"id": new_id, "slot": "role"},
    "trait_version": {"id": new_id, "seq": fresh_number, "number": 2, "is_head": False},
    "corrected_trait_version": {"id": new_id, "seq": fresh_number, "number": fresh_number},
    "receipt_of_atom": {"id": fresh_number, "message_id": Ref("own.reply")},
    "receipt_of_line": {"id": fresh_number, "atom_id": Ref("own.old_atom")},
    "receipt_of_trait": {"id": fresh_number, "line_id": Ref("own.spare_line")},
    "correction_receipt": {"id": fresh_number},
    "run": {"id": new_id},
    "work": {"id": new_id, "step": "persona"},
    "outbox": {"id": fresh_number},
    "design": {"id": new_id, "version": fresh_word},
    "rebuild": {"id": new_id, "status": "discarded", "ended_at": "2026-06-02T09:00:00Z"},
    "shadow": {"id": new_id, "shadow_of_id": Ref("near.entity")},
    "process": {"id": new_id, "name": fresh_word},
    "endpoint": {"id": new_id, "model": fresh_word},
    "search_unit": {"id": fresh_number, "message_id": Ref("own.reply")},
    "atom_unit": {"id": fresh_number, "atom_id": Ref("own.old_atom")},
    "section_unit": {"id": fresh_number, "section": "core_sop"},
    "trait_unit": {"id": fresh_number, "trait_id": Ref("own.spare_trait")},
    "unit_vector": {"id": fresh_number, "unit_id": Ref("own.atom_unit")},
    "term_count": {"id": fresh_number, "term": fresh_number},
    "layer_count": {"id": fresh_number, "layer": 3},
    "record_count": {"id": fresh_number},
    "unindexed": {"id": fresh_number},
    "space": {"id": fresh_small_number, "name": fresh_word},
    "digest": {"id": new_id, "number": fresh_number, "is_head": False},
    "receipt_of_digest": {"id": fresh_number, "message_id": Ref("own.reply")},
    "claim": {"id": new_id, "seq": fresh_number, "text": fresh_word, "chain_id": Ref("own.spare_chain")},
    "live_claim": {"id": new_id, "seq": fresh_number, "text": fresh_word, "chain_id": Ref("own.spare_chain")},
    "source": {"id": new_id, "name": fresh_word},
    "policy": {"id": new_id, "pattern": fresh_word},
    "live_policy": {"id": new_id, "pattern": fresh_word},
    "live_value": {"id": new_id, "atom_id": Ref("own.old_atom")},
    "graph_node": {"id": new_id, "identifier": fresh_word},
    "other_node": {"id": new_id, "identifier": fresh_word},
    "edge": {"id": new_id, "atom_id": Ref("own.old_atom")},
    "unpromoted": {"id": fresh_number},
    "trace": {"id": new_id, "external_id": fresh_word},
    "trace_step": {"id": new_id, "position": 7},
    "procedure": {"id": new_id, "slug": fresh_word},
    "procedure_version": {"id": new_id, "seq": fresh_number, "number": 7, "status": "superseded"},
    "draft": {"id": new_id, "seq": fresh_number, "number": 7, "status": "rejected"},
    "procedure_line": {"id": new_id, "position": 7},
    "asked_line": {"id": new_id, "position": 7},
    "receipt_of_procedure": {"id": fresh_number, "of_procedure_line_id": Ref("own.asked_line")},
    "feedback_receipt": {"id": fresh_number, "of_procedure_line_id": Ref("own.procedure_line")},
    "review": {"id": new_id},
    "use": {"id": new_id},
    "feedback": {"id": new_id},
    "trace_input": {"id": fresh_number, "trace_id": Ref("own.spare_trace")},
    "feedback_input": {"id": fresh_number, "feedback_id": Ref("own.spare_feedback")},
    "erasure": {"id": new_id},
    "tombstone": {"id": fresh_number, "digest": "\\x" + "31" * 32},
    "share": {"id": new_id, "reader_id": Ref("own.spare_reader")},
    "idempotent_reply": {"id": fresh_number, "digest": "\\x" + "31" * 32},
    "gone": {"id": fresh_number},
}
"""What a copy needs of its own: its id, and another value wherever one value may stand once."""


def kind_of(row: str) -> str:
    """`atom` for `own.atom`."""
    return row.rpartition(".")[2]


def insert_copy(world: World, row: str, changes: Mapping[str, Any] | None = None) -> RowId:
    """Insert a copy of a named row, changed, and give the copy's id. The database fills and refuses alone."""
    kind = kind_of(row)
    values = {**FRESH[kind], **(changes or {})}
    changed = {column: _known(world, value) for column, value in values.items() if value is not KEPT}
    statement = sql.SQL(
        "INSERT INTO {table} SELECT (jsonb_populate_record(original, %s)).* FROM {table} original"
        " WHERE original.id = %s RETURNING id"
    ).format(table=sql.Identifier(TABLES[kind]))
    with connection.cursor() as cursor:
        cursor.execute(statement, [json.dumps(changed, default=str), world[row]])
        (row_id,) = cursor.fetchone()
    return row_id  # type: ignore[no-any-return]  # a cursor's rows are untyped


def _known(world: World, value: Any) -> Any:
    if isinstance(value, Ref):
        return world[value.row]
    return value() if callable(value) else value


def run_sql(world: World, statement: str) -> int:
    """Run a statement in which `{own.atom}` stands for that row's id; gives the number of rows touched."""
    ids: list[RowId] = []

    def take(name: re.Match[str]) -> str:
        ids.append(world[name[1]])
        return "%s"

    query = re.sub(r"\{([a-z_.]+)\}", take, statement)
    with connection.cursor() as cursor:
        cursor.execute(query, ids)
        return int(cursor.rowcount)


def answering(refusal: pytest.ExceptionInfo[IntegrityError]) -> str | None:
    """The constraint that PostgreSQL says was broken."""
    return refusal.value.__cause__.diag.constraint_name  # type: ignore[union-attr, no-any-return]


def check_now(constraint: str | None = None) -> None:
    """Look at deferred constraints now, as a commit does: at all, or only at the one that is named."""
    name = sql.Identifier(constraint) if constraint else sql.SQL("ALL")
    with connection.cursor() as cursor:
        cursor.execute(sql.SQL("SET CONSTRAINTS {} IMMEDIATE").format(name))
