-- New messages of locked sessions, numbered in the order in which they are given; where their sessions go on, by the
-- database's clock as recorded_at is; the event; and the due time of a step, where one is named and none is set
-- (moving it with every message would make writers of an entity wait in line). Each row says whether it was set.
WITH grown AS (
    UPDATE memory_session session
    SET next_ordinal = growth.next_ordinal,
        last_message_at = statement_timestamp(),
        fold_asked_at = CASE WHEN growth.asks_for_fold THEN statement_timestamp() ELSE session.fold_asked_at END
    FROM json_to_recordset(%(sessions)s::json) AS growth (id uuid, next_ordinal integer, asks_for_fold boolean)
    WHERE session.workspace_id = %(workspace)s AND session.entity_id = %(entity)s AND session.id = growth.id
), announced AS (
    INSERT INTO memory_outbox (workspace_id, entity_id, event, ids)
    VALUES (%(workspace)s, %(entity)s, 'message.stored', %(event)s::jsonb)
), marked AS (
    UPDATE memory_work
    SET due_at = statement_timestamp()
    WHERE workspace_id = %(workspace)s AND entity_id = %(entity)s AND step = %(step)s::text AND due_at IS NULL
    RETURNING id
)
INSERT INTO memory_message (
    id, workspace_id, entity_id, session_id, ordinal, role, speaker, text, attachment_text, parent_id, tool_name,
    tool_calls, tool_call_id, metadata, occurred_at, content_hash, dedupe_key, is_extractable
)
SELECT added.id, %(workspace)s, %(entity)s, added.session, added.ordinal, added.role, COALESCE(added.speaker, ''),
       COALESCE(added.text, ''), COALESCE(added.attachment_text, ''), added.parent, COALESCE(added.tool_name, ''),
       COALESCE(added.tool_calls, '[]'), COALESCE(added.tool_call_id, ''), COALESCE(added.metadata, '{}'),
       added.occurred_at, decode(added.content_hash, 'hex'), added.dedupe_key, added.is_extractable
FROM json_to_recordset(%(messages)s::json) AS added (
    place integer, id uuid, session uuid, ordinal integer, role text, speaker text, text text, attachment_text text,
    parent uuid, tool_name text, tool_calls jsonb, tool_call_id text, metadata jsonb, occurred_at timestamptz,
    content_hash text, dedupe_key text, is_extractable boolean
)
ORDER BY added.place
RETURNING id, seq, EXISTS (SELECT FROM marked)
