-- What results show of messages; metadata as they were given. Of those that are results themselves (`raw`) also whether
-- they said a claim which no longer holds: shown as they are they would bring it back.
SELECT message.id, session.external_id, message.ordinal, message.role, message.speaker, message.text,
       message.attachment_text, message.occurred_at, message.metadata,
       message.id = ANY(%(raw)s::uuid[]) AND EXISTS (
           SELECT 1
           FROM (SELECT of_atom_id FROM memory_evidence WHERE message_id = message.id OFFSET 0)
                receipt
           CROSS JOIN LATERAL (SELECT status FROM memory_atom WHERE id = receipt.of_atom_id LIMIT 1) atom
           WHERE atom.status <> 'live'
       ) AS is_superseded
FROM memory_message message
JOIN memory_session session ON session.id = message.session_id
WHERE message.workspace_id = %(workspace)s AND message.entity_id = %(entity)s
  AND message.id = ANY(%(rows)s::uuid[])
