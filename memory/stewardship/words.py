"""Every column of the installation in which words of a memory could stand, and what erasing does about it.

A test compares this with the database's own catalogue: a column of text, JSON or arrays that is missing here
fails it. Erasing looks for erased words in exactly the columns named as `words` of tables that an entity
owns, so a new column is covered once it is named. The statistics of these columns are switched off in
`0011_erasing.sql`: what ANALYZE samples would outlive the row.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum


class Erasing(StrEnum):
    """What becomes of the words in a table when they are erased."""

    ROW = "the row goes"
    EMPTIED = "the row stays with its ids, number, author and time; its words go"
    RENAMED = "the row stays; a name without the words takes the place of the one that held them"
    WITH_ENTITY = "names the entity itself: goes with the entity"
    SCANNED = "belongs to the program around; what concerns erased rows is emptied"
    NONE = "holds no words of a memory: written by operators, by the program, or hashed"


@dataclass(frozen=True, slots=True)
class Table:
    """The columns of one table that hold text in any form."""

    erasing: Erasing
    words: tuple[str, ...] = ()
    """May hold words that people said or a model wrote."""
    other: tuple[str, ...] = ()
    """Values of the program, ids, digests, or words of operators about the installation."""
    names: tuple[str, ...] = ()
    """What applications call things by: words of their schemas. They go with their row and are not searched,
    else erasing the only message that says «plan» would take every claim about `billing.plan`."""


REGISTER: Mapping[str, Table] = {
    # L0
    "memory_session": Table(Erasing.RENAMED, ("external_id", "title")),
    "memory_message": Table(
        Erasing.ROW,
        ("speaker", "text", "attachment_text", "tool_calls", "metadata"),
        ("role", "content_hash"),
        names=("tool_name", "tool_call_id", "dedupe_key"),
    ),
    "memory_digest": Table(Erasing.ROW, ("text",), ("kind",)),
    # L1
    "memory_chain": Table(Erasing.ROW),
    "memory_atom": Table(
        Erasing.ROW,
        ("text", "topic", "subject", "scope", "subject_id", "value", "terms"),
        ("kind", "status", "decision", "merge_reason"),
        names=("subject_kind", "predicate", "live_source"),
    ),
    "memory_livevalue": Table(Erasing.ROW, ("value", "error")),
    "memory_evidence": Table(Erasing.ROW, (), ("role",), ("outside_kind", "outside_reference")),
    "memory_graphnode": Table(Erasing.ROW, ("identifier",), ("terms",), ("kind",)),
    "memory_graphedge": Table(Erasing.ROW, ("value",), (), ("predicate",)),
    "memory_unpromoted": Table(Erasing.ROW),
    # L2 and L3
    "memory_scene": Table(Erasing.NONE, (), ("slug", "status")),
    "memory_sceneversion": Table(Erasing.EMPTIED, ("title", "summary")),
    "memory_versionline": Table(Erasing.NONE),
    "memory_line": Table(Erasing.EMPTIED, ("text",), ("section",)),
    "memory_trait": Table(Erasing.NONE, (), ("slot", "status")),
    "memory_traitversion": Table(Erasing.EMPTIED, ("text",)),
    "memory_correction": Table(Erasing.EMPTIED, ("reason", "before", "after"), ("by", "kind")),
    # Skills
    "memory_tasktrace": Table(Erasing.EMPTIED, ("external_id", "task", "note"), ("outcome",)),
    "memory_tracestep": Table(Erasing.ROW, ("text",), ("kind",), ("tool_name",)),
    "memory_procedure": Table(Erasing.NONE, (), ("slug", "status")),
    "memory_procedureversion": Table(Erasing.EMPTIED, ("title", "boundary", "incidental"), ("status",)),
    "memory_procedureline": Table(Erasing.EMPTIED, ("text",), ("section",)),
    "memory_review": Table(Erasing.EMPTIED, ("reason",), ("verdict", "by")),
    "memory_use": Table(
        Erasing.EMPTIED, ("manifest", "request", "text"), ("kind", "sha256", "procedure_versions", "records")
    ),
    "memory_feedback": Table(Erasing.ROW, ("label", "comment", "expected", "actual"), ("kind", "source")),
    "memory_skillinput": Table(Erasing.ROW),
    # How it came about
    "memory_run": Table(
        Erasing.EMPTIED,
        ("decisions", "noop_reason", "error_text", "raw_answer"),
        (
            *("step", "status", "design", "design_hash", "model", "prompt_hash", "schema_hash", "error_kind"),
            *("inputs", "outputs", "worker"),
        ),
    ),
    "memory_work": Table(Erasing.EMPTIED, ("last_error",), ("step", "worker", "last_error_kind")),
    "memory_outbox": Table(Erasing.NONE, (), ("event", "ids")),
    "memory_rebuild": Table(
        Erasing.NONE, (), ("layer", "design", "design_hash", "model", "status", "ground", "difference")
    ),
    "memory_erasure": Table(
        Erasing.EMPTIED,
        ("reason",),
        ("entity_mark", "scope", "status", "selection", "ground", "counts", "by"),
    ),
    "memory_tombstone": Table(Erasing.NONE, (), ("digest",)),
    # Search: terms are salted hashes, vectors are numbers, and both go with their unit
    "memory_searchunit": Table(Erasing.ROW, ("speaker",), ("section", "terms", "frequencies")),
    "memory_unitvector": Table(Erasing.ROW),
    "memory_termcount": Table(Erasing.ROW),
    "memory_layercount": Table(Erasing.NONE),
    "memory_recordcount": Table(Erasing.NONE),
    "memory_unindexed": Table(Erasing.ROW),
    "memory_languagesample": Table(Erasing.NONE, (), ("languages",)),
    "memory_embeddingspace": Table(Erasing.NONE, (), ("name",)),
    # Who may do what
    "memory_entity": Table(
        Erasing.WITH_ENTITY, ("name", "group_id", "user_id"), ("time_zone", "paused_steps")
    ),
    "memory_key_entities": Table(Erasing.WITH_ENTITY),
    "memory_workspace": Table(Erasing.NONE, (), ("name", "design")),
    "memory_member": Table(Erasing.NONE, (), ("role",)),
    "memory_key": Table(Erasing.NONE, (), ("label", "prefix", "digest", "scopes")),
    "memory_share": Table(Erasing.EMPTIED, ("reason",), ("by",)),
    "memory_idempotentreply": Table(Erasing.NONE, (), ("digest", "request", "ids")),
    "memory_livesource": Table(Erasing.NONE, (), ("name", "kind", "address", "credential")),
    "memory_policy": Table(Erasing.NONE, (), ("pattern", "action", "cardinality", "asserted_by")),
    "memory_installeddesign": Table(
        Erasing.NONE, (), ("name", "version", "digest", "description", "content")
    ),
    "memory_process": Table(Erasing.NONE, (), ("kind", "name", "configuration_hash", "version")),
    "memory_modelendpoint": Table(Erasing.NONE, (), ("base_url_hash", "model", "json_mode")),
    # Django's own. A session of a signed-in person is one compressed and signed blob that expires.
    "django_admin_log": Table(Erasing.SCANNED, ("object_repr", "change_message"), ("object_id",)),
    "django_session": Table(Erasing.NONE, (), ("session_key", "session_data")),
    "django_content_type": Table(Erasing.NONE, (), ("app_label", "model")),
    "django_migrations": Table(Erasing.NONE, (), ("app", "name")),
    "auth_permission": Table(Erasing.NONE, (), ("name", "codename")),
    "auth_group": Table(Erasing.NONE, (), ("name",)),
    "auth_group_permissions": Table(Erasing.NONE),
    "auth_user": Table(Erasing.NONE, (), ("password", "username", "first_name", "last_name", "email")),
    "auth_user_groups": Table(Erasing.NONE),
    "auth_user_user_permissions": Table(Erasing.NONE),
}
"""By table. `by`, labels and user names say who did something: an audit that erasing keeps."""


def words_of(table: str) -> tuple[str, ...]:
    """The columns of a table that may hold words of a memory."""
    return REGISTER[table].words
