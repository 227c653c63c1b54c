-- Messages of a page, with the name of their session. Times are texts here and below, which Python reads faster.
SELECT message.id, message.seq, message.text, message.occurred_at::text, message.recorded_at::text, session.external_id, message.role,
       message.speaker, message.ordinal, message.attachment_text, message.parent_id, message.tool_name, message.tool_calls,
       message.tool_call_id, message.metadata
FROM memory_message message
JOIN memory_session session ON session.workspace_id = %(workspace)s AND session.id = message.session_id
WHERE message.workspace_id = %(workspace)s AND message.entity_id = %(entity)s AND message.id = ANY(%(rows)s::uuid[])
