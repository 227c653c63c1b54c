-- The live atoms that lines rest on, with their texts.
SELECT receipt.of_line_id, receipt.atom_id, atom.text
FROM memory_evidence receipt
CROSS JOIN LATERAL (SELECT text, status FROM memory_atom WHERE id = receipt.atom_id LIMIT 1) atom
WHERE receipt.workspace_id = %(workspace)s AND receipt.entity_id = %(entity)s
  AND receipt.of_line_id = ANY(%(lines)s::uuid[]) AND receipt.atom_id IS NOT NULL AND atom.status = 'live'
ORDER BY receipt.id
