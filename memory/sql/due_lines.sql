-- Since when live lines of an entity rest on atoms that no longer hold; without rows none does.
-- Each step is a look-up by key for the rows of the one before: joined as a whole, the planner may begin with all
-- lines there are, which took minutes with a few thousand rows whose statistics were old.
WITH place AS MATERIALIZED (
    SELECT placed.line_id
    FROM memory_scene scene
    CROSS JOIN LATERAL (
        SELECT id FROM memory_sceneversion WHERE scene_id = scene.id AND is_head LIMIT 1
    ) head
    CROSS JOIN LATERAL (SELECT line_id FROM memory_versionline WHERE version_id = head.id OFFSET 0) placed
    WHERE scene.workspace_id = %(workspace)s AND scene.entity_id = %(entity)s AND scene.status = 'live'
)
SELECT min(receipt.created_at), max(receipt.created_at)
FROM place
CROSS JOIN LATERAL (SELECT section, is_pinned FROM memory_line WHERE id = place.line_id LIMIT 1) line
CROSS JOIN LATERAL (
    SELECT atom_id, created_at FROM memory_evidence
    WHERE of_line_id = place.line_id OFFSET 0
) receipt
CROSS JOIN LATERAL (SELECT status FROM memory_atom WHERE id = receipt.atom_id LIMIT 1) atom
WHERE NOT line.is_pinned AND line.section <> 'evolution_record' AND atom.status <> 'live'
HAVING count(*) > 0
