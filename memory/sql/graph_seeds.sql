-- Where a walk may begin: nodes that words name, those that found atoms speak of, and what kinds of things and
-- which predicates there are at all, with a few nodes of each kind. Kinds and predicates are found one by one
-- through their indexes, never by reading all rows.
WITH RECURSIVE kind (name) AS (
    (
        SELECT node.kind FROM memory_graphnode node
        WHERE node.entity_id = %(entity)s ORDER BY node.kind LIMIT 1
    )
    UNION ALL
    SELECT (
        SELECT node.kind FROM memory_graphnode node
        WHERE node.entity_id = %(entity)s AND node.kind > kind.name ORDER BY node.kind LIMIT 1
    )
    FROM kind WHERE kind.name IS NOT NULL
),
predicate (name) AS (
    (
        SELECT edge.predicate FROM memory_graphedge edge
        WHERE edge.entity_id = %(entity)s ORDER BY edge.predicate LIMIT 1
    )
    UNION ALL
    SELECT (
        SELECT edge.predicate FROM memory_graphedge edge
        WHERE edge.entity_id = %(entity)s AND edge.predicate > predicate.name ORDER BY edge.predicate LIMIT 1
    )
    FROM predicate WHERE predicate.name IS NOT NULL
),
named AS (
    SELECT node.id, node.kind, node.identifier,
           (SELECT count(*) FROM unnest(node.terms) AS term WHERE term = ANY(%(terms)s::bigint[]))::real
               / cardinality(node.terms) AS coverage
    FROM memory_graphnode node
    WHERE node.workspace_id = %(workspace)s AND node.entity_id = %(entity)s
      AND node.terms && %(terms)s::bigint[]
)
(
    SELECT 'node', id, identifier FROM named WHERE coverage >= %(coverage)s
    ORDER BY coverage DESC, kind, identifier LIMIT %(limit)s
)
UNION ALL
SELECT 'node', ends.node, ''
FROM memory_graphedge edge CROSS JOIN LATERAL (VALUES (edge.subject_id), (edge.object_id)) AS ends (node)
WHERE edge.workspace_id = %(workspace)s AND edge.entity_id = %(entity)s
  AND edge.atom_id = ANY(%(atoms)s::uuid[]) AND ends.node IS NOT NULL
UNION ALL
SELECT 'kind', sample.id, kind.name
FROM (SELECT name FROM kind WHERE name IS NOT NULL LIMIT %(names)s) kind
CROSS JOIN LATERAL (
    SELECT node.id FROM memory_graphnode node
    WHERE node.entity_id = %(entity)s AND node.kind = kind.name ORDER BY node.identifier LIMIT %(sample)s
) sample
UNION ALL
(SELECT 'predicate', NULL::uuid, name FROM predicate WHERE name IS NOT NULL LIMIT %(names)s)
