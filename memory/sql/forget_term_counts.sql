DELETE FROM memory_termcount
WHERE workspace_id = %(workspace)s AND entity_id = %(entity)s AND units = 0 AND term = ANY(%(terms)s::bigint[])
