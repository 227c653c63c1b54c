-- Records of each collection: those that hold now, and all of them with their history. Messages and memories are counted
-- by the entity alone, in an index of a few pages each without a look at their rows; and by themselves, since to start
-- processes that count them at the same time would take longer.
WITH message AS MATERIALIZED (
    SELECT count(*) AS versions FROM memory_message WHERE entity_id = %(entity)s
),
atom AS MATERIALIZED (
    SELECT count(*) FILTER (WHERE status = 'live') AS heads, count(*) AS versions
    FROM memory_atom
    WHERE entity_id = %(entity)s
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
SELECT 'messages', versions, versions FROM message
UNION ALL
SELECT 'memories', heads, versions FROM atom
UNION ALL
SELECT 'scenes', heads, versions FROM scene CROSS JOIN scene_version
UNION ALL
SELECT 'persona', heads, versions FROM trait
