-- Layers of an entity, or of all, of which other messages or atoms are counted than are there.
WITH present AS (
    SELECT entity_id, 0 AS layer, count(*) AS heads, count(*) AS versions
    FROM memory_message WHERE %(entity)s::uuid IS NULL OR entity_id = %(entity)s::uuid
    GROUP BY entity_id
    UNION ALL
    SELECT entity_id, 1, count(*) FILTER (WHERE status = 'live'), count(*)
    FROM memory_atom WHERE %(entity)s::uuid IS NULL OR entity_id = %(entity)s::uuid
    GROUP BY entity_id
), told AS (
    SELECT entity_id, layer, sum(heads) AS heads, sum(versions) AS versions
    FROM memory_recordcount WHERE %(entity)s::uuid IS NULL OR entity_id = %(entity)s::uuid
    GROUP BY entity_id, layer
)
SELECT entity.name, 'memory_recordcount layer ' || layer,
       format(': %%s of %%s are counted, %%s of %%s are there', coalesce(told.heads, 0), coalesce(told.versions, 0),
              coalesce(present.heads, 0), coalesce(present.versions, 0))
FROM present FULL JOIN told USING (entity_id, layer)
JOIN memory_entity entity ON entity.id = entity_id
WHERE (coalesce(present.heads, 0), coalesce(present.versions, 0))
      IS DISTINCT FROM (coalesce(told.heads, 0), coalesce(told.versions, 0))
ORDER BY entity.name, entity_id, layer
LIMIT %(most)s
