-- Of some messages those that said a claim which no longer holds: shown as they are they would bring it back.
SELECT DISTINCT receipt.message_id
FROM memory_evidence receipt
CROSS JOIN LATERAL (SELECT status FROM memory_atom WHERE id = receipt.of_atom_id LIMIT 1) atom
WHERE receipt.workspace_id = %(workspace)s AND receipt.entity_id = %(entity)s
  AND receipt.message_id = ANY(%(messages)s::uuid[]) AND receipt.of_atom_id IS NOT NULL AND atom.status <> 'live'
