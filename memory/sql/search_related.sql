-- The second look: units around what was found first (`messages`, `atoms`) that no arm has found (`known`). Turns
-- said within a few of a found one; live claims under the topic of a found one, or of the same day, the newest of
-- each. To be about the same person is noted and finds nothing by itself: much of a memory is about one person.
-- Of all these the nearest to the query, where there is a vector.
WITH seed AS MATERIALIZED (
    SELECT id, topic, subject, happened_from FROM memory_atom
    WHERE workspace_id = %(workspace)s AND entity_id = %(entity)s AND status = 'live'
      AND id = ANY(%(atoms)s::uuid[] || ARRAY(
          SELECT of_atom_id FROM memory_evidence
          WHERE workspace_id = %(workspace)s AND entity_id = %(entity)s AND message_id = ANY(%(messages)s::uuid[])
            AND of_atom_id IS NOT NULL
      ))
),
place AS MATERIALIZED (
    SELECT session_id, position FROM memory_searchunit
    -- Said twice: the index holds units of messages alone, and of a list that is not known yet nobody can tell.
    WHERE layer = 0 AND message_id IS NOT NULL AND workspace_id = %(workspace)s AND entity_id = %(entity)s
      AND message_id = ANY(%(messages)s::uuid[] || ARRAY(
          SELECT message_id FROM memory_evidence
          WHERE workspace_id = %(workspace)s AND entity_id = %(entity)s AND of_atom_id = ANY(%(atoms)s::uuid[])
            AND message_id IS NOT NULL
      ))
),
claim AS (
    SELECT akin.id FROM (SELECT DISTINCT topic FROM seed WHERE topic <> '') given
    CROSS JOIN LATERAL (
        SELECT id FROM memory_atom
        WHERE entity_id = %(entity)s AND status = 'live' AND topic = given.topic
        ORDER BY seq DESC LIMIT %(each)s
    ) akin
    UNION
    SELECT akin.id FROM (SELECT DISTINCT happened_from FROM seed WHERE happened_from IS NOT NULL) given
    CROSS JOIN LATERAL (
        SELECT id FROM memory_atom
        WHERE entity_id = %(entity)s AND status = 'live' AND happened_from = given.happened_from
        ORDER BY seq DESC LIMIT %(each)s
    ) akin
),
related AS MATERIALIZED (
    SELECT DISTINCT near.id, false AS by_topic, false AS by_person, true AS by_time, '' AS kind, '' AS topic
    FROM place
    CROSS JOIN LATERAL (
        SELECT id FROM memory_searchunit
        WHERE layer = 0 AND session_id = place.session_id
          AND position BETWEEN place.position - %(turns)s AND place.position + %(turns)s
        LIMIT 2 * %(turns)s + 1
    ) near
    UNION ALL
    SELECT unit.id, atom.topic <> '' AND atom.topic IN (SELECT topic FROM seed),
           atom.subject <> '' AND atom.subject IN (SELECT subject FROM seed),
           coalesce(atom.happened_from IN (SELECT happened_from FROM seed), false), atom.kind, atom.topic
    FROM claim
    -- The limit keeps each a look-up by key: joined as a whole, the planner would rather read all rows there are.
    CROSS JOIN LATERAL (
        SELECT topic, subject, happened_from, kind FROM memory_atom WHERE id = claim.id LIMIT 1
    ) atom
    CROSS JOIN LATERAL (
        SELECT id FROM memory_searchunit WHERE layer = 1 AND atom_id = claim.id LIMIT 1
    ) unit
)
SELECT unit.id, unit.layer, unit.message_id, unit.atom_id, unit.scene_id, unit.section, unit.trait_id,
       unit.session_id, unit.position, unit.speaker, unit.is_question, unit.own_length,
       1 - (vector.embedding <=> %(vector)s::halfvec) AS similarity, by_topic, by_person, by_time
FROM related
CROSS JOIN LATERAL (SELECT * FROM memory_searchunit WHERE id = related.id LIMIT 1) unit
LEFT JOIN memory_unitvector vector ON vector.unit_id = unit.id
 AND vector.space_id = (SELECT id FROM memory_embeddingspace WHERE name = %(space)s)
WHERE unit.id <> ALL(%(known)s::bigint[])
  AND unit.workspace_id = %(workspace)s AND unit.entity_id = %(entity)s
  AND unit.layer = ANY(%(layers)s::smallint[])
  AND (%(session)s::uuid IS NULL OR unit.session_id = %(session)s::uuid)
  AND (%(since)s::timestamptz IS NULL OR unit.occurred_at >= %(since)s::timestamptz)
  AND (%(until)s::timestamptz IS NULL OR unit.occurred_at < %(until)s::timestamptz)
  AND (unit.layer <> 1 OR (%(kinds)s::text[] IS NULL OR related.kind = ANY(%(kinds)s::text[]))
       AND (%(topics)s::text[] IS NULL OR related.topic = ANY(%(topics)s::text[])))
ORDER BY similarity DESC NULLS LAST, unit.id
LIMIT %(limit)s
