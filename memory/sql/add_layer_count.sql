INSERT INTO memory_layercount AS counted (workspace_id, entity_id, layer, units, length)
VALUES (%(workspace)s, %(entity)s, %(layer)s, greatest(0, %(units)s), greatest(0, %(length)s))
ON CONFLICT (entity_id, layer) DO UPDATE
SET units = greatest(0, counted.units + %(units)s), length = greatest(0, counted.length + %(length)s)
