-- Which of some terms a unit of a message holds, the excluded messages left out: one look-up by key for each.
SELECT asked.term
FROM unnest(%(terms)s::bigint[]) AS asked (term)
CROSS JOIN LATERAL (
    SELECT 1 FROM memory_searchunit unit
    WHERE unit.terms @> ARRAY[asked.term] AND unit.workspace_id = %(workspace)s AND unit.entity_id = %(entity)s
      AND unit.layer = 0 AND unit.message_id <> ALL(%(excluded)s::uuid[])
    LIMIT 1
) held
