-- The live scenes of an entity by name, and whether a line of each waits to be rewritten: then its summary is not
-- told, for it may rest on what no longer holds. Each step is a look-up by key for the rows of the one before.
SELECT scene.id, head.title, head.summary, EXISTS (
    SELECT 1
    FROM memory_versionline place
    CROSS JOIN LATERAL (SELECT section, is_pinned FROM memory_line WHERE id = place.line_id LIMIT 1) line
    CROSS JOIN LATERAL (
        SELECT atom_id FROM memory_evidence WHERE of_line_id = place.line_id AND atom_id IS NOT NULL OFFSET 0
    ) receipt
    CROSS JOIN LATERAL (SELECT status FROM memory_atom WHERE id = receipt.atom_id LIMIT 1) atom
    WHERE place.version_id = head.id
      AND NOT line.is_pinned AND line.section <> 'evolution_record' AND atom.status <> 'live'
)
FROM memory_scene scene
CROSS JOIN LATERAL (
    SELECT id, title, summary FROM memory_sceneversion WHERE scene_id = scene.id AND is_head LIMIT 1
) head
WHERE scene.workspace_id = %(workspace)s AND scene.entity_id = %(entity)s AND scene.status = 'live'
ORDER BY scene.slot
