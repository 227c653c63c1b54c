-- More units hold these terms.
INSERT INTO memory_termcount (workspace_id, entity_id, term, units)
SELECT %(workspace)s, %(entity)s, term, units
FROM unnest(%(terms)s::bigint[], %(units)s::integer[]) AS fresh (term, units)
ORDER BY term
ON CONFLICT (entity_id, term) DO UPDATE SET units = memory_termcount.units + EXCLUDED.units
