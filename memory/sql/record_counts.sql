-- Messages and atoms of entities: those that hold, and all.
SELECT entity_id, layer, sum(heads)::bigint, sum(versions)::bigint
FROM memory_recordcount
WHERE workspace_id = %(workspace)s AND entity_id = ANY(%(entities)s::uuid[])
GROUP BY entity_id, layer
