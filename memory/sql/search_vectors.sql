-- The vector arm, exact: the nearest units of the entity, how near the units are that words have found (`known`;
-- of these the arm has read the rest, so nothing but the similarity is given), and mean and spread of all
-- similarities, against which one is judged. Similarity is the cosine, -1 to 1.
WITH everything AS MATERIALIZED (
    SELECT vector.unit_id, 1 - (vector.embedding <=> %(vector)s::halfvec) AS similarity
    FROM memory_unitvector vector
    JOIN memory_embeddingspace space ON space.id = vector.space_id AND space.name = %(space)s
    WHERE vector.workspace_id = %(workspace)s AND vector.entity_id = %(entity)s
),
usual AS MATERIALIZED (
    SELECT avg(similarity) AS mean, stddev_pop(similarity) AS spread FROM everything
),
nearest AS (
    SELECT unit_id, similarity FROM everything
    -- Under a narrow filter the nearest of all may all be outside of it.
    WHERE NOT %(is_narrow)s OR EXISTS (
        SELECT 1 FROM memory_searchunit unit
        LEFT JOIN memory_atom atom ON atom.id = unit.atom_id
        WHERE unit.workspace_id = %(workspace)s AND unit.entity_id = %(entity)s AND unit.id = everything.unit_id
          AND unit.layer = ANY(%(layers)s::smallint[])
          AND (%(session)s::uuid IS NULL OR unit.session_id = %(session)s::uuid)
          AND (%(since)s::timestamptz IS NULL OR unit.occurred_at >= %(since)s::timestamptz)
          AND (%(until)s::timestamptz IS NULL OR unit.occurred_at < %(until)s::timestamptz)
          AND (unit.layer <> 1 OR (%(kinds)s::text[] IS NULL OR atom.kind = ANY(%(kinds)s::text[]))
               AND (%(topics)s::text[] IS NULL OR atom.topic = ANY(%(topics)s::text[])))
    )
    ORDER BY similarity DESC, unit_id LIMIT %(limit)s
),
found AS (
    SELECT unit_id, similarity, unit_id AS read_id FROM nearest WHERE unit_id <> ALL(%(known)s::bigint[])
    UNION ALL
    SELECT unit_id, similarity, NULL FROM everything WHERE unit_id = ANY(%(known)s::bigint[])
)
SELECT found.unit_id, unit.layer, unit.message_id, unit.atom_id, unit.scene_id, unit.section, unit.trait_id,
       unit.session_id, unit.position, unit.speaker, unit.is_question, unit.own_length,
       found.similarity, usual.mean, usual.spread
FROM found
CROSS JOIN usual
LEFT JOIN memory_searchunit unit ON unit.id = found.read_id
-- Whether a unit's row lives is asked row by row: joined, the planner would rather read all atoms there are.
WHERE found.read_id IS NULL OR (
    unit.workspace_id = %(workspace)s AND unit.entity_id = %(entity)s
    AND unit.layer = ANY(%(layers)s::smallint[])
    AND (%(session)s::uuid IS NULL OR unit.session_id = %(session)s::uuid)
    AND (%(since)s::timestamptz IS NULL OR unit.occurred_at >= %(since)s::timestamptz)
    AND (%(until)s::timestamptz IS NULL OR unit.occurred_at < %(until)s::timestamptz)
    AND CASE unit.layer
        WHEN 1 THEN (
            SELECT status = 'live'
               AND (%(kinds)s::text[] IS NULL OR kind = ANY(%(kinds)s::text[]))
               AND (%(topics)s::text[] IS NULL OR topic = ANY(%(topics)s::text[]))
            FROM memory_atom WHERE id = unit.atom_id
        )
        WHEN 2 THEN (SELECT status = 'live' FROM memory_scene WHERE id = unit.scene_id)
        WHEN 3 THEN (SELECT status = 'live' FROM memory_trait WHERE id = unit.trait_id)
        ELSE true
    END
)
ORDER BY found.similarity DESC, found.unit_id
