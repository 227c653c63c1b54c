-- Memories of a page, with what they cite in the order in which it was given.
SELECT atom.id, atom.seq, atom.chain_id::text, atom.status, atom.text, atom.occurred_at::text, atom.created_at::text, atom.kind,
       atom.priority, atom.decision, atom.merge_reason, atom.topic, atom.subject, atom.scope, atom.authority,
       atom.happened_from, atom.happened_until, atom.last_seen_at::text, atom.superseded_by_id,
       atom.subject_kind, atom.subject_id, atom.predicate, atom.value, atom.live_source, atom.valid_from::text, atom.valid_until::text,
       (
           SELECT array_agg(
               coalesce(coalesce(message_id, correction_id)::text, outside_kind || ':' || outside_reference)
               ORDER BY receipt.id
           )
           FROM memory_evidence receipt
           WHERE receipt.workspace_id = %(workspace)s AND receipt.of_atom_id = atom.id
       ) AS citations
FROM memory_atom atom
WHERE atom.workspace_id = %(workspace)s AND atom.entity_id = %(entity)s AND atom.id = ANY(%(rows)s::uuid[])
