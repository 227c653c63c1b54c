-- Records of each collection: those that hold now, and all of them with their history. Messages and memories have been
-- counted as they came; scenes and traits are few.
WITH record AS MATERIALIZED (
    SELECT coalesce(sum(versions) FILTER (WHERE layer = 0), 0)::bigint AS messages,
           coalesce(sum(heads) FILTER (WHERE layer = 1), 0)::bigint AS atoms,
           coalesce(sum(versions) FILTER (WHERE layer = 1), 0)::bigint AS atom_versions
    FROM memory_recordcount
    WHERE workspace_id = %(workspace)s AND entity_id = %(entity)s
),
scene AS MATERIALIZED (
    SELECT count(*) AS heads
    FROM memory_scene scene
    JOIN memory_sceneversion version ON version.scene_id = scene.id AND version.is_head
    WHERE scene.workspace_id = %(workspace)s AND scene.entity_id = %(entity)s AND scene.status = 'live'
),
scene_version AS MATERIALIZED (
    SELECT count(*) AS versions FROM memory_sceneversion WHERE entity_id = %(entity)s
),
trait AS MATERIALIZED (
    SELECT count(*) FILTER (WHERE version.is_head AND trait.status = 'live') AS heads, count(*) AS versions
    FROM memory_traitversion version
    JOIN memory_trait trait ON trait.id = version.trait_id
    WHERE version.workspace_id = %(workspace)s AND version.entity_id = %(entity)s
)
SELECT 'messages', messages, messages FROM record
UNION ALL
SELECT 'memories', atoms, atom_versions FROM record
UNION ALL
SELECT 'scenes', heads, versions FROM scene CROSS JOIN scene_version
UNION ALL
SELECT 'persona', heads, versions FROM trait
