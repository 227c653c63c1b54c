"""Ways to break each rule by plain SQL, where no constraint stands in the way."""

from __future__ import annotations

from dataclasses import dataclass

STALE = "now() - interval '3 hours'"
COPY = """
    INSERT INTO {table} SELECT (jsonb_populate_record(held, jsonb_build_object({changes}))).*
    FROM {table} held WHERE {where}
"""
A_WORKER = """
    INSERT INTO memory_process (id, kind, name, configuration_hash, version, started_at, seen_at)
    VALUES (gen_random_uuid(), 'worker', 'w', '0', '', now(), now());
"""


@dataclass(frozen=True)
class Breach:
    """A change, and the kinds of problem that it makes: the first is the one that it is for."""

    statement: str
    kinds: tuple[str, ...]
    is_settled: bool = False
    """Whether it is a problem at rest alone."""


def copied(table: str, where: str, **changes: str) -> str:
    """A row once more, with some columns changed."""
    fresh = {"id": "gen_random_uuid()", "seq": "nextval('memory_record_number')", **changes}
    told = ", ".join(f"'{name}', {value}" for name, value in fresh.items() if value)
    return COPY.format(table=table, where=where, changes=told)


def running(*, token: int = 1, lease: str = "NULL") -> str:
    """A run of the first step that is under way, and where its work stands."""
    work = f"UPDATE memory_work SET token = {token}, lease_until = {lease}"
    first = "held.id = (SELECT consumed_by_id FROM memory_message WHERE id = %(first_message)s)"
    return f"{work} WHERE entity_id = %(entity)s AND step = 'l1_extract';" + copied(
        "memory_run", first, status="'running'", finished_at="NULL", token="1"
    )


BREACHES = (
    Breach("DELETE FROM memory_evidence WHERE of_atom_id = %(deadline)s", ("atom_without_evidence",)),
    Breach("DELETE FROM memory_evidence WHERE of_line_id = %(line)s", ("line_without_evidence",)),
    Breach(
        "DELETE FROM memory_evidence WHERE of_trait_version_id = %(trait_version)s",
        ("trait_version_without_evidence",),
    ),
    Breach(
        "DELETE FROM memory_evidence WHERE of_digest_id = %(digest)s",
        ("digest_without_evidence", "folded_without_receipt"),
    ),
    Breach(
        "UPDATE memory_evidence SET message_id = %(third_message)s WHERE of_digest_id = %(digest)s",
        ("folded_without_receipt",),
    ),
    Breach(
        "DELETE FROM memory_evidence WHERE of_procedure_line_id IN ("
        "SELECT id FROM memory_procedureline WHERE version_id = %(procedure_version)s)",
        ("procedure_line_without_evidence",),
    ),
    Breach(
        "UPDATE memory_evidence SET message_id = %(bobs_message)s WHERE of_atom_id = %(deadline)s",
        ("foreign_evidence",),
    ),
    Breach(
        "UPDATE memory_line SET erased_at = now() WHERE id = %(line)s",
        ("erased_line_stands", "trait_on_erased_lines"),
    ),
    Breach(
        "UPDATE memory_traitversion SET erased_at = now() WHERE id = %(trait_version)s",
        ("erased_trait_stands",),
    ),
    Breach(
        "UPDATE memory_line SET erased_at = now() WHERE id = %(line)s;"
        "DELETE FROM memory_versionline WHERE line_id = %(line)s AND version_id = %(head)s;"
        "UPDATE memory_versionline SET position = position - 1 WHERE version_id = %(head)s",
        ("trait_on_erased_lines", "unit_of_nothing"),
    ),
    Breach(
        "UPDATE memory_message SET dedupe_key = 'once' WHERE id IN (%(first_message)s, %(second_message)s)",
        ("message_stored_twice",),
    ),
    Breach("UPDATE memory_message SET ordinal = 0 WHERE id = %(second_message)s", ("message_place_twice",)),
    Breach(
        "UPDATE memory_atom SET text = (SELECT text FROM memory_atom WHERE id = %(approval)s)"
        " WHERE id = %(deadline)s",
        ("atom_said_twice",),
    ),
    Breach(
        "UPDATE memory_atom SET status = 'live', superseded_by_id = NULL WHERE id = %(old_deadline)s",
        ("chain_with_several_live", "not_found", "record_count_differs"),
    ),
    Breach(
        "INSERT INTO memory_chain (id, workspace_id, entity_id, created_at)"
        " VALUES (gen_random_uuid(), %(workspace)s, %(entity)s, now())",
        ("empty_chain",),
    ),
    Breach(
        "UPDATE memory_sceneversion SET is_head = false WHERE id = %(head)s",
        ("scene_without_head", "unit_of_nothing"),
    ),
    Breach(
        "DELETE FROM memory_versionline WHERE version_id = %(head)s",
        ("scene_without_lines", "unit_of_nothing"),
    ),
    Breach(
        "UPDATE memory_traitversion SET is_head = false WHERE id = %(trait_version)s", ("trait_without_head",)
    ),
    Breach("UPDATE memory_sceneversion SET is_head = true WHERE id = %(first_version)s", ("old_scene_head",)),
    Breach(
        copied(
            "memory_traitversion",
            "held.id = %(trait_version)s",
            number="2",
            is_head="false",
            erased_at="now()",
        ),
        ("old_trait_head",),
    ),
    Breach(
        copied("memory_digest", "held.id = %(digest)s", seq="", number="2", is_head="false"),
        ("old_digest_head", "digest_without_evidence"),
    ),
    Breach("UPDATE memory_sceneversion SET number = 3 WHERE id = %(head)s", ("scene_version_missing",)),
    Breach(
        "UPDATE memory_traitversion SET number = 2 WHERE id = %(trait_version)s", ("trait_version_missing",)
    ),
    Breach(
        "UPDATE memory_procedureversion SET number = 2 WHERE id = %(procedure_version)s",
        ("procedure_version_missing",),
    ),
    Breach(
        "UPDATE memory_versionline SET position = 7 WHERE version_id = %(head)s AND position = 1",
        ("line_place_missing",),
    ),
    Breach(
        "UPDATE memory_session SET next_ordinal = 1 WHERE entity_id = %(entity)s AND external_id = 'first'",
        ("session_counts_too_little",),
    ),
    Breach(
        "UPDATE memory_session SET folded_until = 2 WHERE entity_id = %(entity)s AND external_id = 'first'",
        ("session_folded_otherwise",),
    ),
    Breach(running(token=2), ("overtaken_run",)),
    Breach(running(), ("run_without_lease",)),
    Breach(
        "UPDATE memory_work SET lease_until = now() + interval '1 day'"
        " WHERE entity_id = %(entity)s AND step = 'persona'",
        ("endless_lease",),
    ),
    Breach(
        "UPDATE memory_atom SET consumed_by_id = NULL WHERE id = %(deadline)s;"
        "DELETE FROM memory_work WHERE entity_id = %(entity)s AND step = 'scene_synthesis'",
        ("input_without_work",),
    ),
    Breach(
        "UPDATE memory_run SET status = 'failed' WHERE id = ("
        "SELECT consumed_by_id FROM memory_message WHERE id = %(third_message)s)",
        ("input_of_failed_run",),
    ),
    Breach(
        "UPDATE memory_message SET consumed_by_id = NULL, parked_at = now(), parked_by_id = consumed_by_id"
        " WHERE id = %(first_message)s",
        ("parked_without_run",),
    ),
    Breach(
        f"{A_WORKER} UPDATE memory_work SET due_at = {STALE}"
        " WHERE entity_id = %(entity)s AND step = 'persona'",
        ("forgotten_work",),
    ),
    Breach(
        f"{A_WORKER} UPDATE memory_message SET consumed_by_id = NULL, recorded_at = {STALE}"
        " WHERE id = %(first_message)s",
        ("forgotten_input",),
    ),
    Breach(
        "DELETE FROM memory_procedureline WHERE version_id = %(procedure_version)s AND section = 'procedure'",
        ("active_version_without_steps", "foreign_evidence"),
    ),
    Breach(
        "DELETE FROM memory_procedureversion WHERE id = %(procedure_version)s", ("procedure_without_version",)
    ),
    Breach(
        copied("memory_procedureversion", "held.id = %(procedure_version)s", number="2", status="'draft'"),
        ("draft_on_another_base",),
    ),
    Breach(
        copied(
            "memory_procedureversion",
            "held.id = %(procedure_version)s",
            number="2",
            status="'draft'",
            base_id="held.id",
        )
        + "; UPDATE memory_procedure SET status = 'retired' WHERE id = %(procedure)s",
        ("draft_of_retired_procedure",),
    ),
    Breach("UPDATE memory_graphedge SET valid_from = NULL WHERE entity_id = %(entity)s", ("edge_differs",)),
    Breach("DELETE FROM memory_graphedge WHERE entity_id = %(entity)s", ("bare_node",)),
    Breach(
        "UPDATE memory_atom SET status = 'retracted' WHERE entity_id = %(entity)s AND predicate <> ''",
        ("edge_of_dead_atom", "unit_of_nothing", "record_count_differs"),
    ),
    Breach(
        "UPDATE memory_graphedge SET predicate = 'billing.cycle' WHERE entity_id = %(entity)s",
        ("edge_differs",),
    ),
    Breach(
        "UPDATE memory_searchunit SET atom_id = gen_random_uuid() WHERE atom_id = %(deadline)s",
        ("not_found", "unit_of_nothing"),
    ),
    Breach(
        "UPDATE memory_searchunit SET trait_id = gen_random_uuid() WHERE trait_id IS NOT NULL"
        " AND entity_id = %(entity)s",
        ("unit_of_nothing", "not_found"),
    ),
    Breach(
        "UPDATE memory_atom SET occurred_at = occurred_at - interval '1 day'"
        " WHERE entity_id = %(entity)s AND predicate <> ''",
        ("unit_differs", "edge_differs"),
    ),
    Breach(
        "UPDATE memory_recordcount SET heads = heads + 1 WHERE entity_id = %(entity)s AND layer = 1",
        ("record_count_differs",),
    ),
    Breach(
        "UPDATE memory_layercount SET units = units + 1 WHERE entity_id = %(entity)s AND layer = 1",
        ("layer_count_differs",),
    ),
    Breach(
        "DELETE FROM memory_termcount WHERE id = ("
        "SELECT min(id) FROM memory_termcount WHERE entity_id = %(entity)s)",
        ("term_count_differs",),
    ),
    Breach(
        "UPDATE memory_unitvector SET entity_id = %(entity)s, workspace_id = %(workspace)s WHERE id = ("
        "SELECT min(id) FROM memory_unitvector WHERE entity_id = %(bob)s)",
        ("foreign_vector",),
    ),
    Breach(
        "UPDATE memory_message SET consumed_by_id = NULL WHERE id = %(first_message)s",
        ("message_waits",),
        True,
    ),
    Breach("UPDATE memory_atom SET consumed_by_id = NULL WHERE id = %(deadline)s", ("atom_waits",), True),
    Breach(
        "UPDATE memory_sceneversion SET consumed_by_id = NULL WHERE id = %(head)s",
        ("scene_version_waits",),
        True,
    ),
    Breach(
        "UPDATE memory_session SET takes_turns = true, ended_at = now() WHERE entity_id = %(entity)s"
        " AND external_id = 'second'",
        ("session_waits",),
        True,
    ),
    Breach(
        "UPDATE memory_skillinput SET consumed_by_id = NULL WHERE entity_id = %(entity)s",
        ("skill_input_waits",),
        True,
    ),
    Breach(
        "INSERT INTO memory_unpromoted (workspace_id, entity_id, atom_id, queued_at)"
        " VALUES (%(workspace)s, %(entity)s, %(deadline)s, now())",
        ("promotion_waits",),
        True,
    ),
    Breach(running(lease="now() + interval '1 minute'"), ("run_under_way", "work_leased"), True),
    Breach(
        "UPDATE memory_work SET lease_until = now() WHERE entity_id = %(entity)s AND step = 'persona'",
        ("work_leased",),
        True,
    ),
    Breach(
        "UPDATE memory_work SET due_at = now() WHERE entity_id = %(entity)s AND step = 'persona'",
        ("work_due",),
        True,
    ),
    Breach(
        "DELETE FROM memory_graphedge WHERE entity_id = %(entity)s;"
        "DELETE FROM memory_graphnode WHERE entity_id = %(entity)s",
        ("claim_without_edge",),
        True,
    ),
    Breach(
        "UPDATE memory_atom SET status = 'retracted' WHERE id = %(approval)s;"
        "DELETE FROM memory_searchunit WHERE atom_id = %(approval)s",
        ("line_on_dead_atom", "layer_count_differs", "term_count_differs", "record_count_differs"),
        True,
    ),
    Breach(
        "DELETE FROM memory_versionline WHERE line_id = %(line)s AND version_id = %(head)s;"
        "UPDATE memory_versionline SET position = position - 1 WHERE version_id = %(head)s",
        ("trait_on_gone_line", "unit_of_nothing"),
        True,
    ),
)
