-- What is known around some nodes: edges that hold at a time, each with how many steps away it is.
-- A breadth-first walk: `depth` levels, of each at most `frontier` nodes, of each node at most `fan` edges out and
-- as many in, the newest first. A cycle leads to rows that are there already, and the levels end in any case.
-- An edge that its atom no longer backs, and that promotion has not taken yet, is passed over.
WITH RECURSIVE at AS MATERIALIZED (SELECT coalesce(%(as_of)s::timestamptz, now()) AS instant),
given AS MATERIALIZED (
    SELECT edge.id, edge.subject_id, edge.object_id
    FROM memory_graphedge edge
    WHERE edge.workspace_id = %(workspace)s AND edge.entity_id = %(entity)s
      AND edge.atom_id = ANY(%(atoms)s::uuid[])
      AND (edge.valid_from IS NULL OR edge.valid_from <= (SELECT instant FROM at))
      AND (edge.valid_until IS NULL OR edge.valid_until > (SELECT instant FROM at))
    UNION
    SELECT named.id, named.subject_id, named.object_id
    FROM unnest(%(predicates)s::text[]) AS wanted (predicate)
    CROSS JOIN LATERAL (
        SELECT edge.id, edge.subject_id, edge.object_id
        FROM memory_graphedge edge
        CROSS JOIN LATERAL (SELECT status FROM memory_atom WHERE id = edge.atom_id LIMIT 1) atom
        WHERE edge.entity_id = %(entity)s AND edge.predicate = wanted.predicate
          AND edge.workspace_id = %(workspace)s
          AND (edge.valid_from IS NULL OR edge.valid_from <= (SELECT instant FROM at))
          AND (edge.valid_until IS NULL OR edge.valid_until > (SELECT instant FROM at))
          AND atom.status IN ('live', 'superseded')
        ORDER BY edge.valid_from DESC, edge.id
        LIMIT %(fan)s
    ) named
),
reached (node, edge, distance) AS (
    (
        SELECT id, NULL::uuid, -1 FROM memory_graphnode
        WHERE workspace_id = %(workspace)s AND entity_id = %(entity)s AND id = ANY(%(nodes)s::uuid[])
        UNION ALL
        SELECT node, given.id, 0 FROM given CROSS JOIN LATERAL (VALUES (subject_id), (object_id)) AS ends (node)
    )
    UNION
    SELECT step.beyond, step.id, step.distance
    FROM (
        SELECT touching.beyond, touching.id, here.distance + 1 AS distance
        FROM (
            SELECT DISTINCT node, distance FROM reached
            WHERE node IS NOT NULL AND distance < %(depth)s
            ORDER BY distance, node LIMIT %(frontier)s
        ) here
        CROSS JOIN LATERAL (
            (
                SELECT edge.id, edge.object_id AS beyond
                FROM memory_graphedge edge
                CROSS JOIN LATERAL (SELECT status FROM memory_atom WHERE id = edge.atom_id LIMIT 1) atom
                WHERE edge.subject_id = here.node
                  AND (edge.valid_from IS NULL OR edge.valid_from <= (SELECT instant FROM at))
                  AND (edge.valid_until IS NULL OR edge.valid_until > (SELECT instant FROM at))
                  AND atom.status IN ('live', 'superseded')
                ORDER BY edge.valid_from DESC, edge.id
                LIMIT %(fan)s
            )
            UNION ALL
            (
                SELECT edge.id, edge.subject_id
                FROM memory_graphedge edge
                CROSS JOIN LATERAL (SELECT status FROM memory_atom WHERE id = edge.atom_id LIMIT 1) atom
                WHERE edge.object_id = here.node
                  AND (edge.valid_from IS NULL OR edge.valid_from <= (SELECT instant FROM at))
                  AND (edge.valid_until IS NULL OR edge.valid_until > (SELECT instant FROM at))
                  AND atom.status IN ('live', 'superseded')
                ORDER BY edge.valid_from DESC, edge.id
                LIMIT %(fan)s
            )
        ) touching
    ) step
),
nearest AS MATERIALIZED (
    SELECT edge, min(distance) AS distance FROM reached WHERE edge IS NOT NULL GROUP BY edge
),
fact AS MATERIALIZED (
    SELECT edge.*, nearest.distance, atom.text, atom.authority, atom.status
    FROM nearest
    CROSS JOIN LATERAL (SELECT * FROM memory_graphedge WHERE id = nearest.edge LIMIT 1) edge
    CROSS JOIN LATERAL (
        SELECT text, authority, status FROM memory_atom WHERE id = edge.atom_id LIMIT 1
    ) atom
    WHERE atom.status = 'live'
       OR atom.status = 'superseded' AND edge.valid_until IS NOT NULL
          AND NOT EXISTS (
              SELECT 1 FROM memory_unpromoted waiting
              WHERE waiting.workspace_id = %(workspace)s AND waiting.entity_id = %(entity)s
                AND waiting.atom_id = edge.atom_id
          )
    ORDER BY nearest.distance, atom.authority DESC, edge.valid_from DESC NULLS LAST, edge.id
    LIMIT %(limit)s
)
SELECT fact.id, subject.id, subject.kind, subject.identifier, fact.predicate,
       object.id, object.kind, object.identifier, fact.value, fact.valid_from, fact.valid_until,
       fact.atom_id, fact.text, fact.authority, fact.status, fact.distance, evidence.receipts
FROM fact
CROSS JOIN LATERAL (SELECT id, kind, identifier FROM memory_graphnode WHERE id = fact.subject_id LIMIT 1) subject
LEFT JOIN LATERAL (
    SELECT id, kind, identifier FROM memory_graphnode WHERE id = fact.object_id LIMIT 1
) object ON true
CROSS JOIN LATERAL (
    SELECT json_agg(json_build_array(message_id, correction_id, outside_kind, outside_reference, outside_authority)
                    ORDER BY id) AS receipts
    FROM (
        SELECT * FROM memory_evidence receipt
        WHERE receipt.of_atom_id = fact.atom_id ORDER BY receipt.id LIMIT %(receipts)s
    ) shown
) evidence
ORDER BY fact.distance, fact.authority DESC, fact.valid_from DESC NULLS LAST, fact.id
