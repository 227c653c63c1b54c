-- Units without a vector in a space, put in line for one; what waits already is not queued twice.
INSERT INTO memory_unindexed (workspace_id, entity_id, layer, row, has_terms)
SELECT unit.workspace_id, unit.entity_id, unit.layer,
       coalesce(unit.message_id, unit.atom_id, unit.scene_id, unit.trait_id), true
FROM memory_searchunit unit
LEFT JOIN memory_unitvector vector ON vector.unit_id = unit.id AND vector.space_id = %(space)s
WHERE unit.workspace_id = %(workspace)s AND unit.entity_id = %(entity)s AND vector.id IS NULL
  AND NOT EXISTS (
      SELECT 1 FROM memory_unindexed waiting
      WHERE waiting.entity_id = unit.entity_id AND waiting.layer = unit.layer
        AND waiting.row = coalesce(unit.message_id, unit.atom_id, unit.scene_id, unit.trait_id)
  )
