"""What the database must refuse, row by row: the constraint that must answer, and a changed copy."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from tests.models.rows import KEPT, TABLES, Ref, kind_of

TOO_LONG = "x" * 65_537
ITSELF = "019b0000-0000-7000-8000-000000000001"
ITSELF_AS = {"id": ITSELF}
WHEN = "2026-06-02T09:00:00Z"


@dataclass(frozen=True)
class Attempt:
    """A copy of `row` with `changes`, which `constraint` must refuse."""

    constraint: str
    row: str
    changes: Mapping[str, Any] = field(default_factory=dict)

    def __str__(self) -> str:
        changes = " ".join(f"{column}={str(value)[:30]}" for column, value in self.changes.items())
        return f"{self.constraint} {self.row} {changes}".strip()


SKILL_CHECKS = [
    Attempt("trace_task_not_empty", "own.trace", {"task": ""}),
    Attempt("trace_outcome_known", "own.trace", {"outcome": "luck"}),
    Attempt("trace_step_kind_known", "own.trace_step", {"kind": "thought"}),
    Attempt("trace_step_text_not_empty", "own.trace_step", {"text": ""}),
    Attempt("trace_step_text_limit", "own.trace_step", {"text": "x" * 4_001}),
    Attempt("procedure_status_known", "own.procedure", {"status": "asleep"}),
    Attempt("procedure_version_status_known", "own.draft", {"status": "asleep"}),
    Attempt("procedure_version_number_from_one", "own.draft", {"number": 0}),
    Attempt("procedure_version_has_title", "own.draft", {"title": ""}),
    Attempt(
        "procedure_version_erased_is_history",
        "own.draft",
        {"procedure_id": Ref("own.spare_procedure")} | {"status": "draft", "erased_at": WHEN},
    ),
    Attempt("procedure_line_section_known", "own.procedure_line", {"section": "gossip"}),
    Attempt("procedure_line_text_until_erased", "own.procedure_line", {"text": ""}),
    Attempt("procedure_line_text_until_erased", "own.procedure_line", {"erased_at": WHEN}),
    Attempt("review_verdict_known", "own.review", {"verdict": "shrugged"}),
    Attempt("review_rejection_says_why", "own.review", {"verdict": "rejected"}),
    Attempt("use_kind_known", "own.use", {"kind": "gift"}),
    Attempt("use_digest_is_whole", "own.use", {"sha256": "0"}),
    Attempt("use_digest_is_whole", "own.use", {"sha256": "G" * 64}),
    Attempt("use_expires_later", "own.use", {"expires_at": "2020-06-02T09:00:00Z"}),
    Attempt("feedback_kind_known", "own.feedback", {"kind": "shrug"}),
    Attempt("feedback_source_known", "own.feedback", {"source": "rumour"}),
    Attempt("feedback_score_range", "own.feedback", {"score": 1.5}),
    Attempt("feedback_score_range", "own.feedback", {"score": -0.5}),
    *(
        Attempt(f"feedback_{text}_limit", "own.feedback", {text: "x" * 4_001})
        for text in ("comment", "expected", "actual")
    ),
    Attempt("skill_input_one_thing", "own.trace_input", {"trace_id": None}),
    Attempt("skill_input_one_thing", "own.trace_input", {"feedback_id": Ref("own.spare_feedback")}),
    Attempt("erasure_scope_known", "own.erasure", {"scope": "everything"}),
    Attempt("erasure_done_has_time", "own.erasure", {"status": "lost"}),
    Attempt("erasure_done_has_time", "own.erasure", {"status": "done"}),
    Attempt("erasure_done_has_time", "own.erasure", {"done_at": WHEN}),
    Attempt(
        "erasure_done_has_time",
        "own.erasure",
        {"status": "done", "done_at": WHEN, "selection": {"messages": []}},
    ),
    Attempt("tombstone_digest_is_whole", "own.tombstone", {"digest": "\\x30"}),
]
DOOR_CHECKS = [
    Attempt("share_not_with_itself", "own.share", {"reader_id": Ref("own.entity")}),
    Attempt("outbox_of_an_entity", "own.outbox", {"entity_id": None}),
    Attempt("outbox_of_an_entity", "own.gone", {"event": "step.done"}),
    Attempt("outbox_of_an_entity", "own.gone", {"ids": {}}),
    *(
        Attempt("idempotent_reply_digests_are_whole", "own.idempotent_reply", {column: "\\x30"})
        for column in ("digest", "request")
    ),
    *(
        Attempt("idempotent_reply_of_success", "own.idempotent_reply", {"status": status})
        for status in (100, 302, 409, 500)
    ),
]
CHECKS = [
    Attempt("member_role_known", "own.member", {"role": "owner"}),
    Attempt("key_scopes_known", "own.key", {"scopes": ["read", "delete"]}),
    Attempt("key_scopes_known", "own.key", {"scopes": []}),
    Attempt("entity_name_not_empty", "own.entity", {"name": ""}),
    Attempt("session_external_id_not_empty", "own.session", {"external_id": ""}),
    Attempt("session_folds_what_was_said", "own.session", {"folded_until": 99}),
    Attempt("record_count_layer", "own.record_count", {"layer": 2}),
    Attempt("message_role_known", "own.message", {"role": "developer"}),
    Attempt("message_not_empty", "own.message", {"text": ""}),
    Attempt("message_text_limit", "own.message", {"text": TOO_LONG}),
    Attempt("message_text_limit", "own.message", {"attachment_text": TOO_LONG}),
    Attempt("atom_text_not_empty", "own.atom", {"text": ""}),
    Attempt("atom_kind_known", "own.atom", {"kind": "belief"}),
    Attempt("atom_status_known", "own.atom", {"status": "doubtful"}),
    Attempt("atom_priority_range", "own.atom", {"priority": 101}),
    Attempt("atom_authority_known", "own.atom", {"authority": 0}),
    Attempt("atom_authority_known", "own.atom", {"authority": 5}),
    Attempt("atom_decision_has_reason", "own.atom", {"decision": "merge", "merge_reason": ""}),
    Attempt("atom_decision_has_reason", "own.atom", {"decision": "store", "merge_reason": "value"}),
    Attempt("atom_decision_has_reason", "own.atom", {"decision": "merge", "merge_reason": "mood"}),
    Attempt("atom_decision_has_reason", "own.atom", {"decision": "skip", "merge_reason": ""}),
    Attempt(
        "atom_period_forward", "own.atom", {"happened_from": "2026-06-02", "happened_until": "2026-06-01"}
    ),
    Attempt("atom_live_is_not_superseded", "own.atom", {"superseded_by_id": Ref("own.old_atom")}),
    Attempt("atom_scope_for_instructions", "own.atom", {"kind": "episodic", "scope": "on Fridays"}),
    *(
        Attempt("atom_claim_is_whole", row, changes)
        for row, changes in (
            ("own.atom", {"predicate": "billing.plan"}),
            ("own.atom", {"value": 12}),
            ("own.atom", {"live_source": "plans"}),
            ("own.atom", {"subject_kind": "customer"}),
            ("own.atom", {"subject_id": "customer-123"}),
            ("own.claim", {"subject_kind": ""}),
            ("own.claim", {"subject_id": ""}),
            ("own.claim", {"predicate": ""}),
            ("own.claim", {"value": None}),
            ("own.claim", {"live_source": "plans"}),
            ("own.live_claim", {"live_source": ""}),
        )
    ),
    Attempt("atom_validity_forward", "own.claim", {"valid_from": WHEN, "valid_until": WHEN}),
    Attempt("digest_kind_known", "own.digest", {"kind": "gist"}),
    Attempt("digest_number_from_one", "own.digest", {"number": 0}),
    Attempt("digest_text_not_empty", "own.digest", {"text": ""}),
    Attempt("digest_text_limit", "own.digest", {"text": "x" * 4_001}),
    Attempt("digest_text_limit", "own.digest", {"kind": "brief", "text": "x" * 601}),
    Attempt("live_source_kind_known", "own.source", {"kind": "oracle"}),
    Attempt("live_source_is_whole", "own.source", {"address": ""}),
    Attempt("live_source_is_whole", "own.source", {"name": ""}),
    Attempt("live_source_time_limit", "own.source", {"timeout_milliseconds": 10_001}),
    Attempt("live_source_time_limit", "own.source", {"timeout_milliseconds": 0}),
    Attempt("live_source_size_limit", "own.source", {"most_bytes": 0}),
    Attempt("live_source_size_limit", "own.source", {"most_bytes": 1_048_577}),
    Attempt("policy_pattern_not_empty", "own.policy", {"pattern": ""}),
    Attempt("policy_action_known", "own.policy", {"action": "forget"}),
    Attempt("policy_cardinality_known", "own.policy", {"cardinality": "few"}),
    Attempt("policy_live_has_source", "own.policy", {"action": "live"}),
    Attempt("policy_live_has_source", "own.live_policy", {"action": "store"}),
    Attempt("policy_authorities_known", "own.policy", {"asserted_by": []}),
    Attempt("policy_authorities_known", "own.policy", {"asserted_by": [5]}),
    Attempt("live_value_or_error", "own.live_value", {"error": "late"}),
    Attempt("live_value_or_error", "own.live_value", {"value": None}),
    Attempt("live_value_expires_later", "own.live_value", {"expires_at": "2026-06-01T09:00:00Z"}),
    Attempt("graph_node_is_named", "own.graph_node", {"kind": ""}),
    Attempt("graph_node_is_named", "own.graph_node", {"identifier": ""}),
    Attempt("graph_edge_object_or_value", "own.edge", {"value": 12}),
    Attempt("graph_edge_object_or_value", "own.edge", {"object_id": None}),
    Attempt("graph_edge_has_predicate", "own.edge", {"predicate": ""}),
    Attempt("scene_live_has_slot", "own.scene", {"slot": 16}),
    Attempt("scene_live_has_slot", "own.scene", {"slot": 0}),
    Attempt("scene_live_has_slot", "own.scene", {"slot": None}),
    Attempt("scene_live_has_slot", "own.scene", {"status": "retired", "slot": 3}),
    Attempt("scene_live_has_slot", "own.scene", {"status": "merged", "slot": 3}),
    Attempt("scene_live_has_slot", "own.scene", {"status": "asleep", "slot": None}),
    Attempt("scene_merged_into_means_merged", "own.scene", {"merged_into_id": Ref("own.scene")}),
    Attempt(
        "scene_merged_into_means_merged",
        "own.scene",
        {"status": "retired", "slot": None, "merged_into_id": Ref("own.scene")},
    ),
    Attempt("line_text_until_erased", "own.line", {"text": ""}),
    Attempt("line_text_until_erased", "own.line", {"erased_at": WHEN}),
    Attempt("line_section_known", "own.line", {"section": "gossip"}),
    Attempt(
        "line_one_author", "own.line", {"run_id": Ref("own.run"), "correction_id": Ref("own.correction")}
    ),
    Attempt("scene_version_number_from_one", "own.version", {"number": 0}),
    Attempt("trait_slot_known", "own.trait", {"slot": "mood"}),
    Attempt("trait_status_known", "own.trait", {"status": "asleep"}),
    Attempt("trait_version_text_until_erased", "own.trait_version", {"text": ""}),
    Attempt("trait_version_text_until_erased", "own.trait_version", {"erased_at": WHEN}),
    *(
        Attempt("workspace_keeps_a_day", "own.workspace", {days: 0})
        for days in ("message_days", "run_days", "use_days", "event_days")
    ),
    Attempt("correction_erased_is_empty", "own.correction", {"erased_at": WHEN, "reason": "Moved."}),
    Attempt("correction_erased_is_empty", "own.correction", {"erased_at": WHEN, "before": {"text": "x"}}),
    Attempt("correction_erased_is_empty", "own.correction", {"erased_at": WHEN, "after": {"text": "x"}}),
    *SKILL_CHECKS,
    Attempt("run_status_known", "own.run", {"status": "lost"}),
    Attempt("run_finished_has_time", "own.run", {"finished_at": None}),
    Attempt("run_finished_has_time", "own.run", {"status": "running", "finished_at": WHEN}),
    Attempt("run_failed_says_why", "own.run", {"status": "failed", "error_kind": ""}),
    Attempt("work_step_known", "own.work", {"step": "dream"}),
    Attempt("run_step_known", "own.run", {"step": "dream"}),
    Attempt("design_has_a_name", "own.design", {"name": ""}),
    Attempt("design_has_a_name", "own.design", {"version": ""}),
    Attempt("entity_not_its_own_shadow", "own.shadow", ITSELF_AS | {"shadow_of_id": ITSELF}),
    Attempt("rebuild_layer_known", "own.rebuild", {"layer": "L4"}),
    Attempt("rebuild_ended_has_time", "own.rebuild", {"ended_at": None}),
    Attempt("rebuild_ended_has_time", "own.rebuild", {"status": "open", "ended_at": WHEN}),
    Attempt("rebuild_ended_has_time", "own.rebuild", {"status": "lost"}),
    Attempt("outbox_event_known", "own.outbox", {"event": "rumour.heard"}),
    Attempt("message_not_its_own_parent", "own.message", ITSELF_AS | {"parent_id": ITSELF}),
    Attempt("atom_not_superseded_by_itself", "own.old_atom", ITSELF_AS | {"superseded_by_id": ITSELF}),
    Attempt("scene_not_merged_into_itself", "own.merged_scene", ITSELF_AS | {"merged_into_id": ITSELF}),
    Attempt("process_kind_known", "process", {"kind": "cron"}),
    Attempt("search_unit_one_thing", "own.search_unit", {"message_id": None}),
    Attempt("search_unit_one_thing", "own.search_unit", {"atom_id": Ref("own.old_atom")}),
    Attempt("search_unit_one_thing", "own.search_unit", {"layer": 1}),
    Attempt("search_unit_one_thing", "own.search_unit", {"layer": 4}),
    Attempt("search_unit_one_thing", "own.atom_unit", {"scene_id": Ref("own.scene")}),
    Attempt("search_unit_one_thing", "own.section_unit", {"trait_id": Ref("own.spare_trait")}),
    Attempt("search_unit_one_thing", "own.trait_unit", {"trait_id": None}),
]

OUTSIDE = {"outside_kind": "ticket", "outside_reference": "PAY-1", "outside_authority": 3}
EVIDENCE_CHECKS = [
    Attempt("evidence_one_derived_row", "own.receipt_of_atom", {"of_line_id": Ref("own.line")}),
    Attempt(
        "evidence_one_derived_row", "own.receipt_of_line", {"of_trait_version_id": Ref("own.trait_version")}
    ),
    Attempt("evidence_role_known", "own.receipt_of_atom", {"role": "rumour"}),
    Attempt(
        "evidence_outside_authority_known",
        "own.receipt_of_atom",
        {"message_id": None, **OUTSIDE, "outside_authority": 5},
    ),
    Attempt("evidence_one_target", "own.receipt_of_atom", {"correction_id": Ref("own.correction")}),
    Attempt("evidence_one_target", "own.receipt_of_atom", OUTSIDE),
    Attempt("evidence_one_target", "own.receipt_of_line", {"correction_id": Ref("own.correction")}),
    Attempt("evidence_one_target", "own.receipt_of_trait", {"correction_id": Ref("own.correction")}),
    Attempt("evidence_outside_is_whole", "own.receipt_of_atom", {"outside_authority": 3}),
    Attempt("evidence_outside_is_whole", "own.receipt_of_atom", {"outside_reference": "PAY-1"}),
    Attempt(
        "evidence_outside_is_whole",
        "own.receipt_of_atom",
        {**OUTSIDE, "message_id": None, "outside_authority": None},
    ),
    Attempt(
        "evidence_looks_one_layer_down",
        "own.receipt_of_atom",
        {"message_id": None, "atom_id": Ref("own.old_atom")},
    ),
    Attempt(
        "evidence_looks_one_layer_down",
        "own.receipt_of_atom",
        {"message_id": None, "line_id": Ref("own.line")},
    ),
    Attempt(
        "evidence_looks_one_layer_down",
        "own.receipt_of_line",
        {"atom_id": None, "message_id": Ref("own.message")},
    ),
    Attempt(
        "evidence_looks_one_layer_down",
        "own.receipt_of_line",
        {"atom_id": None, "line_id": Ref("own.spare_line")},
    ),
    Attempt("evidence_looks_one_layer_down", "own.receipt_of_line", {"atom_id": None, **OUTSIDE}),
    Attempt(
        "evidence_looks_one_layer_down",
        "own.receipt_of_trait",
        {"line_id": None, "message_id": Ref("own.message")},
    ),
    Attempt(
        "evidence_looks_one_layer_down", "own.receipt_of_trait", {"line_id": None, "atom_id": Ref("own.atom")}
    ),
    Attempt("evidence_looks_one_layer_down", "own.receipt_of_trait", {"line_id": None, **OUTSIDE}),
    Attempt(
        "evidence_looks_one_layer_down",
        "own.receipt_of_procedure",
        {"trace_step_id": None, "message_id": Ref("own.message")},
    ),
    Attempt(
        "evidence_looks_one_layer_down",
        "own.receipt_of_atom",
        {"message_id": None, "trace_step_id": Ref("own.trace_step")},
    ),
    Attempt("evidence_one_target", "own.receipt_of_procedure", {"feedback_id": Ref("own.feedback")}),
    Attempt("evidence_one_derived_row", "own.receipt_of_procedure", {"of_atom_id": Ref("own.atom")}),
    # Nothing is named on one side: PostgreSQL looks at the CHECKs by name, and this one comes first.
    Attempt("evidence_looks_one_layer_down", "own.receipt_of_atom", {"message_id": None}),
    Attempt("evidence_looks_one_layer_down", "own.receipt_of_atom", {"of_atom_id": None}),
]

NEVER_NEGATIVE = {
    "own.workspace": ["daily_token_budget"],
    "own.trace_step": ["position"],
    "own.procedure_line": ["position"],
    "own.use": ["tokens"],
    "own.entity": ["erase_epoch"],
    "own.session": ["next_ordinal", "folded_until"],
    "own.message": ["ordinal"],
    "own.atom": ["priority"],
    "own.scene": ["slot", "heat"],
    "own.version": ["number"],
    "own.place": ["position"],
    "own.trait_version": ["number"],
    "own.run": ["token", "erase_epoch", "attempt", "calls", "tokens_in", "tokens_out", "milliseconds"],
    "own.work": ["token", "failures", "batch_limit"],
    "own.rebuild": ["erase_epoch"],
    "own.search_unit": ["layer", "position", "own_length", "length"],
    "own.term_count": ["units"],
    "own.layer_count": ["layer", "units", "length"],
    "own.record_count": ["layer"],
    "own.unindexed": ["layer"],
    "space": ["dimensions"],
    "own.digest": ["until_ordinal"],
    "own.source": ["cache_seconds"],
}
IMPLIED = {
    "memory_idempotentreply_status_check": "idempotent_reply_of_success",
    "memory_workspace_message_days_check": "workspace_keeps_a_day",
    "memory_workspace_run_days_check": "workspace_keeps_a_day",
    "memory_workspace_use_days_check": "workspace_keeps_a_day",
    "memory_workspace_event_days_check": "workspace_keeps_a_day",
    "memory_procedureversion_number_check": "procedure_version_number_from_one",
    "memory_atom_authority_check": "atom_authority_known",
    "memory_digest_number_check": "digest_number_from_one",
    "memory_evidence_outside_authority_check": "evidence_outside_authority_known",
    "memory_livesource_timeout_milliseconds_check": "live_source_time_limit",
    "memory_livesource_most_bytes_check": "live_source_size_limit",
}
"""Django's own checks that a stricter one of ours answers for first."""

TWICE = [
    ("memory_workspace_name_key", "own.workspace", "name"),
    ("member_once_in_workspace", "own.member", "user_id"),
    ("share_once", "own.share", "reader_id"),
    ("idempotent_reply_once_per_key", "own.idempotent_reply", "digest"),
    ("memory_key_digest_key", "own.key", "digest"),
    ("memory_key_entities_key_id_entity_id_2783697a_uniq", "own.key_entity", "entity_id"),
    ("entity_name_once_in_workspace", "own.entity", "name"),
    ("entity_group_user_once_in_workspace", "own.entity", "user_id"),
    ("session_external_id_once", "own.session", "external_id"),
    ("message_ordinal_once", "own.message", "ordinal"),
    ("message_dedupe_key_once", "own.message", "dedupe_key"),
    ("memory_message_seq_key", "own.message", "seq"),
    ("atom_one_live_per_chain", "own.atom", "chain_id"),
    ("atom_text_once_live", "own.atom", "text"),
    ("memory_atom_seq_key", "own.atom", "seq"),
    ("scene_slug_once", "own.scene", "slug"),
    ("scene_slot_once_live", "own.scene", "slot"),
    ("scene_version_number_once", "own.version", "number"),
    ("scene_one_head", "own.version", "is_head"),
    ("memory_sceneversion_seq_key", "own.version", "seq"),
    ("version_line_position_once", "own.place", "position"),
    ("version_line_once", "own.place", "line_id"),
    ("trait_slot_once", "own.trait", "slot"),
    ("trait_version_number_once", "own.trait_version", "number"),
    ("trait_one_head", "own.trait_version", "is_head"),
    ("memory_traitversion_seq_key", "own.trait_version", "seq"),
    ("evidence_atom_message_once", "own.receipt_of_atom", "message_id"),
    ("evidence_line_atom_once", "own.receipt_of_line", "atom_id"),
    ("evidence_trait_line_once", "own.receipt_of_trait", "line_id"),
    ("work_once_per_step", "own.work", "step"),
    ("process_name_once", "process", "name"),
    ("design_once_in_workspace", "own.design", "version"),
    ("memory_entity_shadow_of_id_key", "own.shadow", "shadow_of_id"),
    ("model_endpoint_once", "endpoint", "model"),
    ("search_unit_message_once", "own.search_unit", "message_id"),
    ("search_unit_atom_once", "own.atom_unit", "atom_id"),
    ("search_unit_section_once", "own.section_unit", "section"),
    ("search_unit_trait_once", "own.trait_unit", "trait_id"),
    ("unit_vector_once_per_space", "own.unit_vector", "unit_id"),
    ("term_count_once", "own.term_count", "term"),
    ("layer_count_once", "own.layer_count", "layer"),
    ("memory_embeddingspace_name_key", "space", "name"),
    ("digest_number_once", "own.digest", "number"),
    ("digest_one_head", "own.digest", "is_head"),
    ("evidence_digest_message_once", "own.receipt_of_digest", "message_id"),
    ("live_source_name_once", "own.source", "name"),
    ("policy_pattern_once", "own.policy", "pattern"),
    ("memory_livevalue_atom_id_key", "own.live_value", "atom_id"),
    ("graph_node_once", "own.graph_node", "identifier"),
    ("memory_graphedge_atom_id_key", "own.edge", "atom_id"),
    ("trace_external_id_once", "own.trace", "external_id"),
    ("trace_step_position_once", "own.trace_step", "position"),
    ("procedure_slug_once", "own.procedure", "slug"),
    ("procedure_version_number_once", "own.draft", "number"),
    ("procedure_one_active", "own.procedure_version", "status"),
    ("procedure_one_draft", "own.draft", "status"),
    ("memory_procedureversion_seq_key", "own.draft", "seq"),
    ("procedure_line_position_once", "own.procedure_line", "position"),
    ("evidence_procedure_step_once", "own.receipt_of_procedure", "of_procedure_line_id"),
    ("evidence_procedure_feedback_once", "own.feedback_receipt", "of_procedure_line_id"),
    ("skill_input_trace_once", "own.trace_input", "trace_id"),
    ("skill_input_feedback_once", "own.feedback_input", "feedback_id"),
    ("tombstone_once", "own.tombstone", "digest"),
]
UNIQUES = [
    *(Attempt(constraint, row, {column: KEPT}) for constraint, row, column in TWICE),
    Attempt("rebuild_one_open", "own.rebuild", {"status": KEPT, "ended_at": KEPT}),
]
NEGATIVES = [
    Attempt(f"{TABLES[kind_of(row)]}_{column}_check", row, {column: -1})
    for row, columns in NEVER_NEGATIVE.items()
    for column in columns
]

OWNED = [
    *("session", "chain", "scene", "trait", "correction", "run", "work", "outbox", "rebuild"),
    *("search_unit", "unit_vector", "term_count", "layer_count", "record_count", "unindexed"),
    *("graph_node", "trace", "procedure", "use", "feedback", "erasure", "share", "idempotent_reply"),
]
"""Rows that hang on their entity alone."""
OF_ANOTHER_WORKSPACE = [
    Attempt(f"{kind}_entity_fk", f"own.{kind}", changes)
    for kind in OWNED
    for changes in ({"entity_id": Ref("far.entity")}, {"workspace_id": Ref("far.workspace")})
]
POINTERS = [
    ("message_session_fk", "own.message", "session_id", "session"),
    ("message_parent_fk", "own.reply", "parent_id", "message"),
    ("atom_chain_fk", "own.old_atom", "chain_id", "chain"),
    ("atom_superseded_by_fk", "own.old_atom", "superseded_by_id", "atom"),
    ("scene_merged_into_fk", "own.merged_scene", "merged_into_id", "scene"),
    ("line_scene_fk", "own.line", "scene_id", "scene"),
    ("line_correction_fk", "own.corrected_line", "correction_id", "correction"),
    ("scene_version_scene_fk", "own.version", "scene_id", "scene"),
    ("scene_version_correction_fk", "own.corrected_version", "correction_id", "correction"),
    ("version_line_version_fk", "own.place", "version_id", "version"),
    ("version_line_line_fk", "own.place", "line_id", "line"),
    ("trait_version_trait_fk", "own.trait_version", "trait_id", "trait"),
    ("trait_version_correction_fk", "own.corrected_trait_version", "correction_id", "correction"),
    ("evidence_of_atom_fk", "own.receipt_of_atom", "of_atom_id", "atom"),
    ("evidence_of_line_fk", "own.receipt_of_line", "of_line_id", "line"),
    ("evidence_of_trait_version_fk", "own.receipt_of_trait", "of_trait_version_id", "trait_version"),
    ("evidence_message_fk", "own.receipt_of_atom", "message_id", "message"),
    ("evidence_atom_fk", "own.receipt_of_line", "atom_id", "atom"),
    ("evidence_line_fk", "own.receipt_of_trait", "line_id", "line"),
    ("evidence_correction_fk", "own.correction_receipt", "correction_id", "correction"),
    ("search_unit_message_fk", "own.search_unit", "message_id", "reply"),
    ("search_unit_atom_fk", "own.atom_unit", "atom_id", "old_atom"),
    ("search_unit_scene_fk", "own.section_unit", "scene_id", "scene"),
    ("search_unit_trait_fk", "own.trait_unit", "trait_id", "spare_trait"),
    ("search_unit_session_fk", "own.search_unit", "session_id", "session"),
    ("digest_session_fk", "own.digest", "session_id", "session"),
    ("evidence_of_digest_fk", "own.receipt_of_digest", "of_digest_id", "digest"),
    ("live_value_atom_fk", "own.live_value", "atom_id", "claim"),
    ("graph_edge_subject_fk", "own.edge", "subject_id", "graph_node"),
    ("graph_edge_object_fk", "own.edge", "object_id", "graph_node"),
    ("graph_edge_atom_fk", "own.edge", "atom_id", "old_atom"),
    ("unpromoted_atom_fk", "own.unpromoted", "atom_id", "claim"),
    ("trace_session_fk", "own.trace", "session_id", "session"),
    ("trace_step_trace_fk", "own.trace_step", "trace_id", "trace"),
    ("trace_step_message_fk", "own.trace_step", "message_id", "message"),
    ("procedure_version_procedure_fk", "own.procedure_version", "procedure_id", "procedure"),
    ("procedure_version_base_fk", "own.draft", "base_id", "procedure_version"),
    ("procedure_line_version_fk", "own.procedure_line", "version_id", "procedure_version"),
    ("review_version_fk", "own.review", "version_id", "procedure_version"),
    ("use_session_fk", "own.use", "session_id", "session"),
    ("feedback_use_fk", "own.feedback", "use_id", "use"),
    ("feedback_version_fk", "own.feedback", "procedure_version_id", "procedure_version"),
    ("skill_input_trace_fk", "own.trace_input", "trace_id", "spare_trace"),
    ("skill_input_feedback_fk", "own.feedback_input", "feedback_id", "spare_feedback"),
    ("evidence_of_procedure_line_fk", "own.receipt_of_procedure", "of_procedure_line_id", "asked_line"),
    ("evidence_trace_step_fk", "own.receipt_of_procedure", "trace_step_id", "trace_step"),
    ("evidence_feedback_fk", "own.feedback_receipt", "feedback_id", "feedback"),
]
"""The key, a row that points by it, the column, and the kind of row it points to."""
OF_ANOTHER_ENTITY = [
    Attempt(constraint, row, changes)
    for constraint, row, column, target in POINTERS
    for changes in (
        {column: Ref(f"near.{target}")},
        {column: Ref(f"far.{target}")},
        {"entity_id": Ref("near.entity")},
        {"workspace_id": Ref("far.workspace")},
    )
]
BOUND_ELSEWHERE = [
    Attempt("key_entity_entity_fk", "own.key_entity", {"entity_id": Ref("far.entity")}),
    Attempt("share_reader_fk", "own.share", {"reader_id": Ref("far.entity")}),
    Attempt("idempotent_reply_key_fk", "own.idempotent_reply", {"key_id": Ref("far.key")}),
    Attempt("entity_shadow_of_fk", "own.shadow", {"shadow_of_id": Ref("far.entity")}),
    Attempt("policy_source_fk", "own.live_policy", {"source_id": Ref("far.source")}),
]
WITHOUT_EVIDENCE = [
    Attempt("atom_has_evidence", "own.atom"),
    Attempt("line_has_evidence", "own.line"),
    Attempt("trait_version_has_evidence", "own.trait_version"),
    Attempt("digest_has_evidence", "own.digest"),
    Attempt("procedure_line_has_evidence", "own.procedure_line"),
]
COPIES = [
    *(*CHECKS, *DOOR_CHECKS, *EVIDENCE_CHECKS, *NEGATIVES, *UNIQUES),
    *(*OF_ANOTHER_WORKSPACE, *OF_ANOTHER_ENTITY, *BOUND_ELSEWHERE, *WITHOUT_EVIDENCE),
]
