-- Records of each collection: those that hold now, and all of them with their history.
SELECT 'messages', count(*), count(*)
FROM memory_message
WHERE workspace_id = %(workspace)s AND entity_id = %(entity)s
UNION ALL
SELECT 'memories', count(*) FILTER (WHERE status = 'live'), count(*)
FROM memory_atom
WHERE workspace_id = %(workspace)s AND entity_id = %(entity)s
UNION ALL
SELECT 'scenes', count(*) FILTER (WHERE version.is_head AND scene.status = 'live'), count(*)
FROM memory_sceneversion version
JOIN memory_scene scene ON scene.id = version.scene_id
WHERE version.workspace_id = %(workspace)s AND version.entity_id = %(entity)s
UNION ALL
SELECT 'persona', count(*) FILTER (WHERE version.is_head AND trait.status = 'live'), count(*)
FROM memory_traitversion version
JOIN memory_trait trait ON trait.id = version.trait_id
WHERE version.workspace_id = %(workspace)s AND version.entity_id = %(entity)s
