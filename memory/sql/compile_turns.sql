-- The newest turns of a session that its summary does not cover, newest first.
SELECT id, ordinal, role, speaker, text, attachment_text, tool_name, tool_calls, tool_call_id
FROM memory_message
WHERE workspace_id = %(workspace)s AND entity_id = %(entity)s AND session_id = %(session)s
  AND ordinal >= %(folded_until)s
ORDER BY ordinal DESC
LIMIT %(most_turns)s
