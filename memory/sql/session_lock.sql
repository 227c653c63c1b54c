-- Sessions by their names, of an entity by its id, or without one of the entity of a name, no shadow; locked until the
-- transaction ends. The columns are those of SESSION_FIELDS in memory/ingest/session_rows.py, in their order; the last
-- one says whether anything was ever erased in the workspace.
SELECT session.id, session.workspace_id, session.entity_id, session.created_at, session.consumed_by_id,
       session.parked_by_id, session.parked_at, session.external_id, session.title, session.next_ordinal,
       session.takes_turns, session.folded_until, session.fold_asked_at, session.last_message_at, session.ended_at,
       EXISTS (SELECT FROM memory_tombstone stone WHERE stone.workspace_id = session.workspace_id)
FROM memory_session session
WHERE session.workspace_id = %(workspace)s AND session.entity_id = COALESCE(%(entity)s::uuid, (
    SELECT id FROM memory_entity
    WHERE workspace_id = %(workspace)s AND name = %(entity_name)s::text AND shadow_of_id IS NULL
  ))
  AND session.external_id = ANY(%(names)s::text[])
ORDER BY session.external_id
FOR NO KEY UPDATE OF session
