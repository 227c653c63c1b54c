"""What the database must refuse to rows that stand: the constraint that must answer, and the statement."""

from tests.models.rows import TABLES

IMMUTABLE = {
    "message": (
        "message_is_immutable",
        {
            "workspace_id": "{far.workspace}",
            "entity_id": "{near.entity}",
            "text": "'Billing moves.'",
            "attachment_text": "'A photo.'",
            "role": "'assistant'",
            "speaker": "'Mallory'",
            "ordinal": "77",
            "session_id": "gen_random_uuid()",
            "seq": "77",
            "occurred_at": "now()",
            "recorded_at": "now() - interval '1 day'",
            "tool_name": "'deploy'",
            "tool_calls": "'[1]'",
            "tool_call_id": "'call-1'",
            "metadata": """'{"edited": true}'""",
            "content_hash": "'x'",
            "dedupe_key": "'another'",
        },
    ),
    "atom": ("atom_text_is_immutable", {"text": "'Billing moves.'", "kind": "'persona'", "seq": "77"}),
    "claim": (
        "atom_text_is_immutable",
        {
            "subject_kind": "'person'",
            "subject_id": "'somebody'",
            "predicate": "'billing.price'",
            "value": "'13'",
        },
    ),
    "live_claim": ("atom_text_is_immutable", {"live_source": "'elsewhere'"}),
    "digest": (
        "digest_is_immutable",
        {
            "session_id": "gen_random_uuid()",
            "kind": "'brief'",
            "number": "77",
            "text": "'Billing moves.'",
            "until_ordinal": "77",
        },
    ),
    "line": (
        "line_is_immutable",
        {"text": "'Billing moves.'", "section": "'core_sop'", "scene_id": "{own.merged_scene}"},
    ),
    "version": ("scene_version_is_immutable", {"scene_id": "{own.merged_scene}", "number": "7", "seq": "77"}),
    "place": (
        "version_line_is_immutable",
        {"version_id": "{own.corrected_version}", "line_id": "{own.spare_line}", "position": "7"},
    ),
    "trait_version": (
        "trait_version_is_immutable",
        {"trait_id": "{near.trait}", "number": "7", "text": "'Moves fast.'", "seq": "77"},
    ),
    "trace_step": (
        "trace_step_is_immutable",
        {
            "trace_id": "gen_random_uuid()",
            "position": "77",
            "kind": "'note'",
            "tool_name": "'deploy'",
            "text": "'Moved.'",
            "message_id": "{own.reply}",
        },
    ),
    "procedure_line": (
        "procedure_line_is_immutable",
        {"version_id": "{own.draft}", "section": "'when'", "position": "77", "text": "'Move.'"},
    ),
    "feedback": (
        "feedback_is_immutable",
        {
            "kind": "'thumbs_up'",
            "source": "'end_user'",
            "score": "0.5",
            "label": "'late'",
            "comment": "'Fine.'",
            "expected": "'Fine.'",
            "actual": "'Fine.'",
        },
    ),
    "receipt_of_atom": (
        "evidence_is_immutable",
        {
            "of_atom_id": "{own.old_atom}",
            "of_line_id": "{own.line}",
            "of_trait_version_id": "{own.trait_version}",
            "of_digest_id": "{own.digest}",
            "of_procedure_line_id": "{own.procedure_line}",
            "trace_step_id": "{own.trace_step}",
            "feedback_id": "{own.feedback}",
            "message_id": "{own.reply}",
            "atom_id": "{own.old_atom}",
            "line_id": "{own.line}",
            "correction_id": "{own.correction}",
            "outside_kind": "'ticket'",
            "outside_reference": "'PAY-1'",
            "outside_authority": "3",
        },
    ),
}
EDITS = [
    (constraint, f"UPDATE {TABLES[kind]} SET {column} = {value} WHERE id = {{own.{kind}}}")
    for kind, (constraint, columns) in IMMUTABLE.items()
    for column, value in columns.items()
]
REMOVALS = [
    ("evidence_not_the_last", "DELETE FROM memory_evidence WHERE id = {own.receipt_of_atom}"),
    ("evidence_not_the_last", "DELETE FROM memory_evidence WHERE id = {own.receipt_of_line}"),
    ("evidence_not_the_last", "DELETE FROM memory_evidence WHERE id = {own.receipt_of_trait}"),
    ("evidence_not_the_last", "DELETE FROM memory_evidence WHERE id = {own.receipt_of_digest}"),
    ("evidence_not_the_last", "DELETE FROM memory_evidence WHERE id = {own.receipt_of_procedure}"),
    ("evidence_of_digest_fk", "DELETE FROM memory_digest WHERE id = {own.digest}"),
    ("policy_source_fk", "DELETE FROM memory_livesource WHERE id = {own.source}"),
    ("evidence_message_fk", "DELETE FROM memory_message WHERE id = {own.message}"),
    ("evidence_atom_fk", "DELETE FROM memory_atom WHERE id = {own.atom}"),
    ("evidence_line_fk", "DELETE FROM memory_line WHERE id = {own.line}"),
    ("evidence_correction_fk", "DELETE FROM memory_correction WHERE id = {own.correction}"),
    ("evidence_of_atom_fk", "DELETE FROM memory_atom WHERE id = {own.old_atom}"),
    ("evidence_of_line_fk", "DELETE FROM memory_line WHERE id = {own.spare_line}"),
    ("evidence_of_trait_version_fk", "DELETE FROM memory_traitversion WHERE id = {own.trait_version}"),
    ("version_line_line_fk", "DELETE FROM memory_line WHERE id = {own.line}"),
    ("message_session_fk", "DELETE FROM memory_session WHERE id = {own.session}"),
    ("atom_chain_fk", "DELETE FROM memory_chain WHERE id = {own.chain}"),
    ("session_entity_fk", "DELETE FROM memory_entity WHERE id = {own.entity}"),
]
MOVES = [
    ("key_entity_key_fk", "UPDATE memory_key SET workspace_id = {far.workspace} WHERE id = {own.key}"),
    (
        "key_entity_entity_fk",
        "UPDATE memory_entity SET workspace_id = {far.workspace} WHERE id = {own.entity}",
    ),
    ("session_entity_fk", "UPDATE memory_entity SET workspace_id = {far.workspace} WHERE id = {own.entity}"),
    ("message_session_fk", "UPDATE memory_session SET entity_id = {near.entity} WHERE id = {own.session}"),
]
FINAL = [
    ("design_is_final", f"UPDATE memory_installeddesign SET {column} = {value} WHERE id = {{own.design}}")
    for column, value in {
        "workspace_id": "{far.workspace}",
        "name": "'other'",
        "version": "'2.0.0'",
        "digest": "'1'",
        "content": """'{"changed": true}'""",
    }.items()
]
SHADOWED = [
    ("erase_leaves_no_shadow", "UPDATE memory_entity SET erase_epoch = 7 WHERE id = {own.entity}"),
    (
        "entity_shadow_of_fk",
        "UPDATE memory_entity SET shadow_of_id = gen_random_uuid() WHERE id = {own.shadow}",
    ),
]
SAMPLES = [
    (
        "language_sample_entity_fk",
        "UPDATE memory_languagesample SET workspace_id = {far.workspace} WHERE entity_id = {own.entity}",
    ),
    (
        "memory_languagesample_units_seen_check",
        "UPDATE memory_languagesample SET units_seen = -1 WHERE entity_id = {own.entity}",
    ),
]
"""A table whose key is the entity itself: no copy of a row can be made."""
STATEMENTS = [*EDITS, *REMOVALS, *MOVES, *FINAL, *SHADOWED, *SAMPLES]
