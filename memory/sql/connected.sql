-- All that rests on some rows, up to the persona, and all that they rest on, down to the words. Rows are given in
-- groups, and found in the groups of those that led to them; a row is always connected with itself.
WITH RECURSIVE above(sort, id) AS (
    SELECT given.sort, given.id FROM unnest(%(sorts)s::text[], %(ids)s::uuid[]) AS given(sort, id)
    UNION
    SELECT above.sort, COALESCE(receipt.of_atom_id, receipt.of_line_id, receipt.of_trait_version_id)
    FROM above
    JOIN memory_evidence receipt
        ON receipt.message_id = above.id OR receipt.atom_id = above.id OR receipt.line_id = above.id
    WHERE receipt.workspace_id = %(workspace)s AND receipt.entity_id = %(entity)s
      AND COALESCE(receipt.of_atom_id, receipt.of_line_id, receipt.of_trait_version_id) IS NOT NULL
), below(sort, id) AS (
    SELECT given.sort, given.id FROM unnest(%(sorts)s::text[], %(ids)s::uuid[]) AS given(sort, id)
    UNION
    SELECT below.sort, COALESCE(receipt.message_id, receipt.atom_id, receipt.line_id)
    FROM below
    JOIN memory_evidence receipt
        ON receipt.of_atom_id = below.id OR receipt.of_line_id = below.id
        OR receipt.of_trait_version_id = below.id
    WHERE receipt.workspace_id = %(workspace)s AND receipt.entity_id = %(entity)s
      AND COALESCE(receipt.message_id, receipt.atom_id, receipt.line_id) IS NOT NULL
)
SELECT sort, id FROM above UNION SELECT sort, id FROM below
