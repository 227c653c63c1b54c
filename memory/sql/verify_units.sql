-- Units that stand for what is not to be found (any more), and that do not wait to be made anew.
SELECT entity.name, 'memory_searchunit ' || unit.id, ''
FROM memory_searchunit unit
JOIN memory_entity entity ON entity.id = unit.entity_id
LEFT JOIN memory_message message ON message.id = unit.message_id
LEFT JOIN memory_atom atom ON atom.id = unit.atom_id AND atom.status = 'live'
LEFT JOIN memory_trait trait ON trait.id = unit.trait_id AND trait.status = 'live'
LEFT JOIN memory_scene scene ON scene.id = unit.scene_id AND scene.status = 'live' AND EXISTS (
    SELECT 1 FROM memory_sceneversion version
    JOIN memory_versionline place ON place.version_id = version.id
    JOIN memory_line line ON line.id = place.line_id
    WHERE version.scene_id = unit.scene_id AND version.is_head
      AND line.section = unit.section AND line.text <> ''
)
WHERE (%(entity)s::uuid IS NULL OR unit.entity_id = %(entity)s::uuid)
  AND coalesce(message.id, atom.id, trait.id, scene.id) IS NULL
  AND NOT EXISTS (
      SELECT 1 FROM memory_unindexed waiting
      WHERE waiting.entity_id = unit.entity_id AND waiting.layer = unit.layer
        AND waiting.row = coalesce(unit.message_id, unit.atom_id, unit.scene_id, unit.trait_id)
  )
ORDER BY unit.id
LIMIT %(most)s
