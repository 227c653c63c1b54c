-- Receipts around what was found. `stands_for`: the live atoms that a message stands for; a superseded atom gives
-- way to the one that holds now. `cites`: the messages that these atoms, and those given, cite, and their topic.
WITH claim AS MATERIALIZED (
    SELECT receipt.id, receipt.message_id, CASE WHEN atom.status = 'live' THEN atom.id ELSE head.id END AS atom_id
    FROM memory_evidence receipt
    JOIN memory_atom atom ON atom.id = receipt.of_atom_id
    LEFT JOIN LATERAL (
        SELECT id FROM memory_atom
        WHERE atom.status = 'superseded'
          AND chain_id = atom.chain_id AND status = 'live' AND entity_id = %(entity)s
        LIMIT 1
    ) head ON true
    WHERE receipt.workspace_id = %(workspace)s AND receipt.entity_id = %(entity)s
      AND receipt.message_id = ANY(%(messages)s::uuid[])
      AND atom.status IN ('live', 'superseded')
)
SELECT 'stands_for' AS sort, message_id AS one, atom_id AS other, '' AS topic, id FROM claim WHERE atom_id IS NOT NULL
UNION ALL
SELECT 'cites', receipt.of_atom_id, receipt.message_id, atom.topic, receipt.id
FROM memory_evidence receipt
JOIN memory_atom atom ON atom.id = receipt.of_atom_id AND atom.status = 'live'
WHERE receipt.workspace_id = %(workspace)s AND receipt.entity_id = %(entity)s
  AND receipt.message_id IS NOT NULL
  AND receipt.of_atom_id = ANY(%(atoms)s::uuid[] || ARRAY(SELECT atom_id FROM claim WHERE atom_id IS NOT NULL))
ORDER BY id
