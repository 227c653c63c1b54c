-- Where the records of a page are, newest first: four indexes in the one sequence, each read down to the page's end.
-- Layers are chosen by their names, messages and memories also by their types (null: all of them).
-- The limit is a constant: the server would take an unknown one for a tenth of the table, and sort that.
-- The entity alone bounds them: with the workspace too the server expects a few rows, which it would read all and sort.
-- The one entity comes as an array, and the order names it: only indexes that begin with it give that order. Else the
-- server may go through the numbers of all entities, which is quick for the newest of them and slow for the others.
(
    SELECT message.seq, 'messages' AS collection, message.id
    FROM memory_message message
    WHERE message.entity_id = ANY(%(entities)s::uuid[]) AND message.seq < %(before)s
      AND 'messages' = ANY(%(collections)s::text[]) AND (%(types)s::text[] IS NULL OR message.role = ANY(%(types)s::text[]))
    ORDER BY message.entity_id, message.seq DESC
    LIMIT {most}
)
UNION ALL
(
    SELECT atom.seq, 'memories', atom.id
    FROM memory_atom atom
    WHERE atom.entity_id = ANY(%(entities)s::uuid[]) AND atom.seq < %(before)s
      AND 'memories' = ANY(%(collections)s::text[]) AND (%(types)s::text[] IS NULL OR atom.kind = ANY(%(types)s::text[]))
      AND (%(history)s OR atom.status = 'live')
    ORDER BY atom.entity_id, atom.seq DESC
    LIMIT {most}
)
UNION ALL
(
    SELECT version.seq, 'scenes', version.id
    FROM memory_sceneversion version
    JOIN memory_scene scene ON scene.workspace_id = %(workspace)s AND scene.id = version.scene_id
    WHERE version.entity_id = ANY(%(entities)s::uuid[]) AND version.seq < %(before)s
      AND 'scenes' = ANY(%(collections)s::text[])
      AND (%(history)s OR version.is_head AND scene.status = 'live')
    ORDER BY version.entity_id, version.seq DESC
    LIMIT {most}
)
UNION ALL
(
    SELECT version.seq, 'persona', version.id
    FROM memory_traitversion version
    JOIN memory_trait trait ON trait.workspace_id = %(workspace)s AND trait.id = version.trait_id
    WHERE version.entity_id = ANY(%(entities)s::uuid[]) AND version.seq < %(before)s
      AND 'persona' = ANY(%(collections)s::text[])
      AND (%(history)s OR version.is_head AND trait.status = 'live')
    ORDER BY version.entity_id, version.seq DESC
    LIMIT {most}
)
ORDER BY seq DESC
LIMIT {most}
