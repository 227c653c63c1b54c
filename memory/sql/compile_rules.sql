-- The standing rules of an entity at or above a floor, most important first.
SELECT id, text, priority, scope, authority
FROM memory_atom
WHERE workspace_id = %(workspace)s AND entity_id = %(entity)s AND status = 'live' AND kind = 'instruction'
  AND priority >= %(floor)s
ORDER BY priority DESC, seq
