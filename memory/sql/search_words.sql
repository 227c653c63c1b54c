-- The text arm: units that hold one of the rarest words of the query, scored by all of its words (BM25;
-- Robertson and Zaragoza, 2009). `terms` are the entity's own hashes; `rare` is the part of them whose postings
-- stay under the cap. Only what lives is found, whatever the index still holds.
WITH query AS MATERIALIZED (
    SELECT term, weight FROM unnest(%(terms)s::bigint[], %(weights)s::real[]) AS given (term, weight)
),
candidate AS (
    SELECT unit.*
    FROM memory_searchunit unit
    WHERE unit.workspace_id = %(workspace)s AND unit.entity_id = %(entity)s
      AND unit.terms && %(rare)s::bigint[]
      AND unit.layer = ANY(%(layers)s::smallint[])
      AND (%(session)s::uuid IS NULL OR unit.session_id = %(session)s::uuid)
      AND (%(since)s::timestamptz IS NULL OR unit.occurred_at >= %(since)s::timestamptz)
      AND (%(until)s::timestamptz IS NULL OR unit.occurred_at < %(until)s::timestamptz)
    ORDER BY unit.id DESC
    LIMIT %(most)s
),
scored AS (
    SELECT unit.id, unit.layer, unit.message_id, unit.atom_id, unit.scene_id, unit.section, unit.trait_id,
           unit.session_id, unit.position, unit.speaker, unit.is_question, unit.own_length,
           (
               SELECT sum(
                   query.weight * hit.frequency * (%(k1)s + 1)
                   / (hit.frequency + %(k1)s * (1 - %(b)s + %(b)s * unit.length / (%(lengths)s::real[])[unit.layer + 1]))
               )
               FROM query
               CROSS JOIN LATERAL (
                   SELECT unit.frequencies[array_position(unit.terms, query.term)] AS frequency
               ) hit
               WHERE hit.frequency IS NOT NULL
           ) AS score
    FROM candidate unit
),
living AS (
    SELECT scored.*, row_number() OVER (PARTITION BY scored.layer ORDER BY scored.score DESC, scored.id) AS place
    FROM scored
    -- The limit keeps each a look-up by key: joined as a whole, the planner would rather read all atoms there are.
    LEFT JOIN LATERAL (SELECT status, kind, topic FROM memory_atom WHERE id = scored.atom_id LIMIT 1) atom ON true
    LEFT JOIN LATERAL (SELECT status FROM memory_scene WHERE id = scored.scene_id LIMIT 1) scene ON true
    LEFT JOIN LATERAL (SELECT status FROM memory_trait WHERE id = scored.trait_id LIMIT 1) trait ON true
    WHERE (scored.layer <> 1 OR atom.status = 'live'
           AND (%(kinds)s::text[] IS NULL OR atom.kind = ANY(%(kinds)s::text[]))
           AND (%(topics)s::text[] IS NULL OR atom.topic = ANY(%(topics)s::text[])))
      AND (scored.layer <> 2 OR scene.status = 'live')
      AND (scored.layer <> 3 OR trait.status = 'live')
)
SELECT id, layer, message_id, atom_id, scene_id, section, trait_id, session_id, position, speaker, is_question,
       own_length, score
FROM living
WHERE place <= %(limit)s
ORDER BY layer, score DESC, id
