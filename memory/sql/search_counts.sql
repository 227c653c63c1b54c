-- What an entity's index counts: units and their length by layer, in how many units each term stands, which rows
-- wait to be indexed (the newest of them), and which embedding spaces have a vector index of the entity's own that
-- can be used.
SELECT 'layer', layer::bigint, units::bigint, length, ''
FROM memory_layercount WHERE workspace_id = %(workspace)s AND entity_id = %(entity)s
UNION ALL
SELECT 'term', term, units::bigint, 0, ''
FROM memory_termcount
WHERE workspace_id = %(workspace)s AND entity_id = %(entity)s AND term = ANY(%(terms)s::bigint[])
UNION ALL
(
    SELECT 'waiting', layer::bigint, id, 0, row::text
    FROM memory_unindexed
    WHERE workspace_id = %(workspace)s AND entity_id = %(entity)s AND NOT has_terms
      AND layer = ANY(%(layers)s::smallint[])
    ORDER BY id DESC
    LIMIT %(most_waiting)s
)
UNION ALL
SELECT 'near', space.id::bigint, space.dimensions::bigint, 0, space.name
FROM memory_embeddingspace space
JOIN pg_class named ON named.relname = %(index)s || space.id::text
JOIN pg_index built ON built.indexrelid = named.oid AND built.indisvalid
WHERE built.indrelid = 'memory_unitvector'::regclass
