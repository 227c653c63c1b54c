-- What results show of messages; metadata as they were given.
SELECT message.id, session.external_id, message.ordinal, message.role, message.speaker, message.text,
       message.attachment_text, message.occurred_at, message.metadata
FROM memory_message message
JOIN memory_session session ON session.id = message.session_id
WHERE message.workspace_id = %(workspace)s AND message.entity_id = %(entity)s
  AND message.id = ANY(%(rows)s::uuid[])
