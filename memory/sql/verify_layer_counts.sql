-- Layers of an entity, or of all, whose count of units or of their length is not what the units add up to.
WITH counted AS (
    SELECT entity_id, layer, count(*) AS units, sum(length) AS length
    FROM memory_searchunit WHERE %(entity)s::uuid IS NULL OR entity_id = %(entity)s::uuid
    GROUP BY entity_id, layer
), told AS (
    SELECT entity_id, layer, units, length
    FROM memory_layercount WHERE %(entity)s::uuid IS NULL OR entity_id = %(entity)s::uuid
)
SELECT entity.name, 'memory_layercount layer ' || layer,
       format(': %%s units of length %%s are counted, %%s of %%s are there', coalesce(told.units, 0),
              coalesce(told.length, 0), coalesce(counted.units, 0), coalesce(counted.length, 0))
FROM counted FULL JOIN told USING (entity_id, layer)
JOIN memory_entity entity ON entity.id = entity_id
WHERE (coalesce(counted.units, 0), coalesce(counted.length, 0))
      IS DISTINCT FROM (coalesce(told.units, 0), coalesce(told.length, 0))
ORDER BY entity.name, entity_id, layer
LIMIT %(most)s
