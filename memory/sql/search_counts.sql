-- What an entity's index counts: units and their length by layer, and in how many units each term stands.
SELECT 'layer', layer::bigint, units::bigint, length
FROM memory_layercount WHERE workspace_id = %(workspace)s AND entity_id = %(entity)s
UNION ALL
SELECT 'term', term, units::bigint, 0
FROM memory_termcount
WHERE workspace_id = %(workspace)s AND entity_id = %(entity)s AND term = ANY(%(terms)s::bigint[])
