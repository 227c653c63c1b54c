-- Wordings of traits of a page, with what they cite, and when the latest of the words under that was said.
SELECT version.id, version.seq, trait.slot, version.is_head, trait.status, version.text, version.created_at::text, version.number,
       cited.said_at::text, cited.citations
FROM memory_traitversion version
JOIN memory_trait trait ON trait.workspace_id = %(workspace)s AND trait.id = version.trait_id
CROSS JOIN LATERAL (
    SELECT array_agg(coalesce(receipt.line_id, receipt.correction_id)::text ORDER BY receipt.id) AS citations,
           max(said.at) AS said_at
    FROM (
        SELECT id, line_id, correction_id FROM memory_evidence WHERE of_trait_version_id = version.id OFFSET 0
    ) receipt
    LEFT JOIN LATERAL (
        SELECT max(atom.occurred_at) AS at
        FROM (
            SELECT atom_id FROM memory_evidence WHERE of_line_id = receipt.line_id OFFSET 0
        ) under
        CROSS JOIN LATERAL (SELECT occurred_at FROM memory_atom WHERE id = under.atom_id LIMIT 1) atom
    ) said ON true
) cited
WHERE version.workspace_id = %(workspace)s AND version.entity_id = %(entity)s AND version.id = ANY(%(rows)s::uuid[])
