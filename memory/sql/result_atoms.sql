-- What results show of live atoms.
SELECT id, text, kind, priority, topic, subject, authority, happened_from, happened_until, occurred_at
FROM memory_atom
WHERE workspace_id = %(workspace)s AND entity_id = %(entity)s AND status = 'live' AND id = ANY(%(rows)s::uuid[])
