-- The standing lines of live scenes by their sections, in the order of the head: what a line says of atoms that no
-- longer hold is left out, except in the Evolution Record and where a person pinned it. Each step is a look-up by key
-- for the rows of the one before.
SELECT head.scene_id, line.section, head.title, line.id, line.text
FROM (
    SELECT scene.id AS scene_id, version.id, version.title
    FROM memory_scene scene
    CROSS JOIN LATERAL (
        SELECT id, title FROM memory_sceneversion WHERE scene_id = scene.id AND is_head LIMIT 1
    ) version
    WHERE scene.workspace_id = %(workspace)s AND scene.entity_id = %(entity)s AND scene.status = 'live'
      AND scene.id = ANY(%(scenes)s::uuid[])
    OFFSET 0
) head
CROSS JOIN LATERAL (
    SELECT line_id, position FROM memory_versionline WHERE version_id = head.id OFFSET 0
) place
CROSS JOIN LATERAL (
    SELECT id, section, text, is_pinned FROM memory_line WHERE id = place.line_id AND erased_at IS NULL LIMIT 1
) line
WHERE line.is_pinned OR line.section = 'evolution_record' OR NOT EXISTS (
    SELECT 1
    FROM (SELECT atom_id FROM memory_evidence WHERE of_line_id = line.id OFFSET 0) receipt
    CROSS JOIN LATERAL (SELECT status FROM memory_atom WHERE id = receipt.atom_id LIMIT 1) atom
    WHERE atom.status <> 'live'
)
ORDER BY head.scene_id, place.position
