-- The text arm: units that hold one of the rarest words of the query, scored by all of its words (BM25;
-- Robertson and Zaragoza, 2009). `terms` are the entity's own hashes; `rare` is the part of them whose postings
-- stay under the cap. Only what lives is found, whatever the index still holds: looked up for the best alone.
-- Of a word that is everywhere the newest units are scored. The one entity comes as an array, and the order names it: only
-- an index that begins with it gives that order, else the newest of all entities might be passed over one by one.
-- A unit's terms lie in ascending order, so that `width_bucket` finds the place of one by bisection.
WITH query AS MATERIALIZED (
    SELECT term, weight FROM unnest(%(terms)s::bigint[], %(weights)s::real[]) AS given (term, weight)
),
candidate AS (
    SELECT unit.*
    FROM memory_searchunit unit
    WHERE unit.workspace_id = %(workspace)s AND unit.entity_id = ANY(%(entities)s::uuid[])
      AND unit.terms && %(rare)s::bigint[]
      AND unit.layer = ANY(%(layers)s::smallint[])
      AND (%(session)s::uuid IS NULL OR unit.session_id = %(session)s::uuid)
      AND (%(since)s::timestamptz IS NULL OR unit.occurred_at >= %(since)s::timestamptz)
      AND (%(until)s::timestamptz IS NULL OR unit.occurred_at < %(until)s::timestamptz)
      AND (unit.layer <> 1 OR %(kinds)s::text[] IS NULL AND %(topics)s::text[] IS NULL OR EXISTS (
          SELECT 1 FROM memory_atom atom
          WHERE atom.workspace_id = %(workspace)s AND atom.entity_id = %(entity)s AND atom.id = unit.atom_id
            AND (%(kinds)s::text[] IS NULL OR atom.kind = ANY(%(kinds)s::text[]))
            AND (%(topics)s::text[] IS NULL OR atom.topic = ANY(%(topics)s::text[]))
      ))
    ORDER BY unit.entity_id, unit.id DESC
    LIMIT %(most)s
),
scored AS (
    SELECT unit.id, unit.layer, unit.message_id, unit.atom_id, unit.scene_id, unit.section, unit.trait_id,
           unit.session_id, unit.position, unit.speaker, unit.is_question, unit.own_length,
           (
               SELECT sum(
                   query.weight * unit.frequencies[hit.place] * (%(k1)s + 1)
                   / (unit.frequencies[hit.place] + %(k1)s * (
                       1 - %(b)s + %(b)s * unit.length / (%(lengths)s::real[])[unit.layer + 1]
                   ))
               )
               FROM query
               CROSS JOIN LATERAL (SELECT width_bucket(query.term, unit.terms) AS place) hit
               WHERE unit.terms[hit.place] = query.term
           ) AS score
    FROM candidate unit
),
best AS (
    SELECT * FROM (
        SELECT scored.*, row_number() OVER (PARTITION BY layer ORDER BY score DESC, id) AS place FROM scored
    ) ranked
    WHERE place <= %(limit)s
)
SELECT best.id, layer, message_id, atom_id, scene_id, section, trait_id, session_id, position, speaker,
       is_question, own_length, score
FROM best
-- Whether a unit's row lives is asked row by row: joined, the planner would rather read all atoms there are.
WHERE CASE layer
    WHEN 1 THEN (SELECT status = 'live' FROM memory_atom WHERE id = best.atom_id)
    WHEN 2 THEN (SELECT status = 'live' FROM memory_scene WHERE id = best.scene_id)
    WHEN 3 THEN (SELECT status = 'live' FROM memory_trait WHERE id = best.trait_id)
    ELSE true
END
ORDER BY layer, score DESC, id
