-- The vector arm by the entity's own HNSW index: the same as search_vectors.sql, but for mean and spread, which
-- come from a fixed sample. Names in braces are literals: a partial index serves only a condition that holds
-- the values of its own.
WITH nearest AS MATERIALIZED (
    SELECT vector.unit_id,
           vector.embedding::halfvec({dimensions}) <=> %(vector)s::halfvec({dimensions}) AS distance
    FROM memory_unitvector vector
    WHERE vector.entity_id = {entity} AND vector.space_id = {space}
    ORDER BY vector.embedding::halfvec({dimensions}) <=> %(vector)s::halfvec({dimensions})
    LIMIT %(limit)s
),
bound AS (
    SELECT layer, min(id) AS low, max(id) AS high
    FROM (VALUES (0::smallint), (1::smallint)) given (layer)
    CROSS JOIN LATERAL (
        (SELECT id FROM memory_searchunit WHERE entity_id = {entity} AND layer = given.layer ORDER BY id LIMIT 1)
        UNION ALL
        (SELECT id FROM memory_searchunit WHERE entity_id = {entity} AND layer = given.layer ORDER BY id DESC LIMIT 1)
    ) ends
    GROUP BY layer
),
sampled AS (
    SELECT DISTINCT unit.id
    FROM bound
    CROSS JOIN generate_series(0, %(places)s / 2 - 1) AS step
    -- Some in a row at each place: they lie on the same pages.
    CROSS JOIN LATERAL (
        SELECT id FROM memory_searchunit
        WHERE entity_id = {entity} AND layer = bound.layer
          AND id >= bound.low + (bound.high - bound.low) * step / (%(places)s / 2)
        ORDER BY id LIMIT %(in_a_row)s
    ) unit
),
usual AS MATERIALIZED (
    SELECT avg(similarity) AS mean, stddev_pop(similarity) AS spread
    FROM (
        SELECT 1 - (vector.embedding <=> %(vector)s::halfvec) AS similarity
        FROM sampled JOIN memory_unitvector vector ON vector.unit_id = sampled.id AND vector.space_id = {space}
    ) measured
),
found AS (
    SELECT unit_id, 1 - distance AS similarity, unit_id AS read_id
    FROM nearest WHERE unit_id <> ALL(%(known)s::bigint[])
    UNION ALL
    SELECT vector.unit_id, 1 - (vector.embedding <=> %(vector)s::halfvec), NULL
    FROM memory_unitvector vector
    WHERE vector.unit_id = ANY(%(known)s::bigint[]) AND vector.space_id = {space} AND vector.entity_id = {entity}
)
SELECT found.unit_id, unit.layer, unit.message_id, unit.atom_id, unit.scene_id, unit.section, unit.trait_id,
       unit.session_id, unit.position, unit.speaker, unit.is_question, unit.own_length,
       found.similarity, usual.mean, usual.spread
FROM found
CROSS JOIN usual
LEFT JOIN memory_searchunit unit ON unit.id = found.read_id
-- Whether a unit's row lives is asked row by row: joined, the planner would rather read all atoms there are.
WHERE found.read_id IS NULL OR (
    unit.workspace_id = %(workspace)s AND unit.entity_id = {entity}
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
