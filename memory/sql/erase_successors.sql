-- The turns that come right after some messages: their search units hold these as neighbours.
SELECT next.id
FROM memory_message gone
JOIN memory_message next ON next.session_id = gone.session_id AND next.ordinal = gone.ordinal + 1
WHERE gone.workspace_id = %(workspace)s AND gone.entity_id = %(entity)s AND gone.id = ANY(%(messages)s::uuid[])
