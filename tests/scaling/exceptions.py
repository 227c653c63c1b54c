"""Statements that reach rows beyond an entity, each with its reason; one that no longer does has to go."""

REACH_MORE = {
    ("entity_of_name", "memory_entity"): "The entity itself, by workspace and name, which are unique.",
    ("entity_of_name", "memory_languagesample"): "The row of the entity found, by its primary key.",
    ("session_lock", "memory_entity"): "The same, in one exchange with the session.",
    ("reply_keep", "memory_entity"): "The same, for what is kept of a write.",
    (
        "session_lock",
        "memory_tombstone",
    ): "Whether the workspace ever erased anything: its first row, by an index.",
    ("models", "memory_policy"): "The policies of a workspace, a handful, by an index that begins with it.",
    ("models", "memory_livesource"): "The sources that these policies name.",
    ("events_next", "memory_outbox"): "All events in their order, for the one reader of a web process.",
    ("events_next", "memory_entity"): "The names of their entities, by key.",
    ("events_of_entities", "memory_outbox"): "Those of the workspace whose entity is gone, by an index.",
    ("events_of_entities", "memory_entity"): "The entities of a workspace: a stream may follow all of them.",
}
SHARED = {"memory_embeddingspace": "A few rows that all entities share, one for each embedding model."}
COLD = {
    "admin_spending": "A page for operators: the newest runs of a workspace, so many at most.",
    "verify_": "The checker reads everything there is; nobody waits for it.",
    "retention_": "What is beyond its days in all workspaces, the oldest first, so many at most.",
    "record_numbers": "Numbers of a sequence; no table.",
}
"""Nobody waits for these. By name, or what names begin with."""
WITHOUT_PLAN = {
    "export_snapshot": "It sets the isolation of a transaction.",
}


def is_cold(name: str) -> bool:
    """Whether nobody waits for a named query."""
    return name.startswith(tuple(COLD))
