-- The newest turns of a session that its summary does not cover, newest first; and the newest words of a user,
-- wherever they stand, since they are what is answered.
WITH recent AS MATERIALIZED (
    SELECT id, ordinal, role, speaker, text, attachment_text, tool_name, tool_calls, tool_call_id
    FROM memory_message
    WHERE workspace_id = %(workspace)s AND entity_id = %(entity)s AND session_id = %(session)s
      AND ordinal >= %(folded_until)s
    ORDER BY ordinal DESC
    LIMIT %(most_turns)s
),
asked AS (
    SELECT id, ordinal, role, speaker, text, attachment_text, tool_name, tool_calls, tool_call_id
    FROM memory_message
    WHERE workspace_id = %(workspace)s AND entity_id = %(entity)s AND session_id = %(session)s
      AND role = 'user'
    ORDER BY ordinal DESC
    LIMIT 1
)
SELECT * FROM recent
UNION ALL
SELECT * FROM asked WHERE NOT EXISTS (SELECT FROM recent WHERE role = 'user')
ORDER BY ordinal DESC
