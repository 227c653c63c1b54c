-- Terms of an entity, or of all, that are counted in more or fewer units than hold them.
WITH counted AS (
    SELECT unit.entity_id, held.term, count(*) AS units
    FROM memory_searchunit unit CROSS JOIN LATERAL unnest(unit.terms) AS held (term)
    WHERE %(entity)s::uuid IS NULL OR unit.entity_id = %(entity)s::uuid
    GROUP BY unit.entity_id, held.term
), told AS (
    SELECT entity_id, term, units
    FROM memory_termcount WHERE %(entity)s::uuid IS NULL OR entity_id = %(entity)s::uuid
)
SELECT entity.name, 'memory_termcount term ' || term,
       format(': counted in %%s units, %%s hold it', coalesce(told.units, 0), coalesce(counted.units, 0))
FROM counted FULL JOIN told USING (entity_id, term)
JOIN memory_entity entity ON entity.id = entity_id
WHERE coalesce(counted.units, 0) <> coalesce(told.units, 0)
ORDER BY entity.name, entity_id, term
LIMIT %(most)s
