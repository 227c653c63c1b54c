-- The same read once through all units of messages: cheaper when very many terms are asked for.
SELECT DISTINCT held.term
FROM memory_searchunit unit
CROSS JOIN LATERAL unnest(unit.terms) AS held (term)
WHERE unit.workspace_id = %(workspace)s AND unit.entity_id = %(entity)s AND unit.layer = 0
  AND unit.message_id <> ALL(%(excluded)s::uuid[])
  AND held.term = ANY(%(terms)s::bigint[])
