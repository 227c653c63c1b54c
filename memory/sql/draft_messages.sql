-- Messages with the turn before each of them, which may be none: a turn needs its neighbour to be found.
SELECT message.id, message.session_id, message.ordinal, message.speaker, message.text, message.attachment_text,
       message.occurred_at, before.speaker, before.text, before.attachment_text
FROM memory_message message
LEFT JOIN memory_message before ON before.session_id = message.session_id AND before.ordinal = message.ordinal - 1
WHERE message.workspace_id = %(workspace)s AND message.entity_id = %(entity)s
  AND message.id = ANY(%(rows)s::uuid[])
ORDER BY message.seq
