-- What is to be found, has no unit and does not wait for one, after a given row. What holds no word has none.
WITH wanted (entity_id, layer, row) AS (
    SELECT entity_id, 0, id FROM memory_message
    WHERE NOT EXISTS (SELECT 1 FROM memory_searchunit unit WHERE unit.message_id = memory_message.id)
    UNION ALL
    SELECT entity_id, 1, id FROM memory_atom
    WHERE status = 'live'
      AND NOT EXISTS (SELECT 1 FROM memory_searchunit unit WHERE unit.atom_id = memory_atom.id)
    UNION ALL
    SELECT entity_id, 2, id FROM memory_scene
    WHERE status = 'live'
      AND NOT EXISTS (SELECT 1 FROM memory_searchunit unit WHERE unit.scene_id = memory_scene.id)
    UNION ALL
    SELECT entity_id, 3, id FROM memory_trait
    WHERE status = 'live'
      AND NOT EXISTS (SELECT 1 FROM memory_searchunit unit WHERE unit.trait_id = memory_trait.id)
)
SELECT wanted.entity_id, wanted.layer, wanted.row
FROM wanted
JOIN memory_entity entity ON entity.id = wanted.entity_id AND entity.shadow_of_id IS NULL
WHERE (%(entity)s::uuid IS NULL OR wanted.entity_id = %(entity)s::uuid)
  AND (wanted.entity_id, wanted.row) > (%(after_entity)s::uuid, %(after_row)s::uuid)
  AND NOT EXISTS (
      SELECT 1 FROM memory_unindexed waiting
      WHERE waiting.entity_id = wanted.entity_id AND waiting.layer = wanted.layer AND waiting.row = wanted.row
  )
ORDER BY wanted.entity_id, wanted.row
LIMIT %(most)s
