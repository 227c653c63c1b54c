-- How sessions begin that a call may repeat: of each no more messages than wanted, and none where the first one is
-- not among the contents that the call begins with. With is_whole the contents are not looked at.
SELECT found.id, found.seq, asked.name, found.ordinal, found.dedupe_key, found.content_hash
FROM json_to_recordset(%(sessions)s::json) AS asked (id uuid, name text, wanted integer, contents text[])
CROSS JOIN LATERAL (
    SELECT message.content_hash
    FROM memory_message message
    WHERE message.workspace_id = %(workspace)s AND message.entity_id = %(entity)s AND message.session_id = asked.id
    ORDER BY message.ordinal
    LIMIT 1
) first
CROSS JOIN LATERAL (
    SELECT message.id, message.seq, message.ordinal, message.dedupe_key, message.content_hash
    FROM memory_message message
    WHERE message.workspace_id = %(workspace)s AND message.entity_id = %(entity)s AND message.session_id = asked.id
      AND (%(is_whole)s OR encode(first.content_hash, 'hex') = ANY(asked.contents))
    ORDER BY message.ordinal
    LIMIT asked.wanted
) found
ORDER BY asked.name, found.ordinal
