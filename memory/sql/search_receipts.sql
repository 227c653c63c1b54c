-- Receipts around what was found. `stands_for`: the live atoms that a message stands for; a superseded atom gives
-- way to the one that holds now. `cites`: the messages that these atoms, and those given, cite, and what they are.
WITH claim AS MATERIALIZED (
    SELECT receipt.id, receipt.message_id, standing.*
    FROM memory_evidence receipt
    JOIN memory_atom atom ON atom.id = receipt.of_atom_id
    CROSS JOIN LATERAL (
        SELECT atom.id AS atom_id, atom.kind, atom.topic WHERE atom.status = 'live'
        UNION ALL
        (SELECT id, kind, topic FROM memory_atom
         WHERE atom.status = 'superseded'
           AND chain_id = atom.chain_id AND status = 'live' AND entity_id = %(entity)s
         LIMIT 1)
    ) standing
    WHERE receipt.workspace_id = %(workspace)s AND receipt.entity_id = %(entity)s
      AND receipt.message_id = ANY(%(messages)s::uuid[])
      AND atom.status IN ('live', 'superseded')
)
SELECT 'stands_for' AS sort, message_id AS one, atom_id AS other, kind, topic, id FROM claim
UNION ALL
SELECT 'cites', receipt.of_atom_id, receipt.message_id, atom.kind, atom.topic, receipt.id
FROM memory_evidence receipt
JOIN memory_atom atom ON atom.id = receipt.of_atom_id AND atom.status = 'live'
WHERE receipt.workspace_id = %(workspace)s AND receipt.entity_id = %(entity)s
  AND receipt.message_id IS NOT NULL
  AND receipt.of_atom_id = ANY(%(atoms)s::uuid[] || ARRAY(SELECT atom_id FROM claim))
ORDER BY id
