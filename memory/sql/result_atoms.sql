-- What results show of live atoms. What has ended holds no more, though its chain has not moved on yet.
SELECT id, text, kind, priority, topic, subject, authority, happened_from, happened_until, occurred_at,
       subject_kind, subject_id, predicate, value::text, live_source, valid_from, valid_until,
       scope,
       (SELECT json_agg(json_build_array(outside_kind, outside_reference, outside_authority) ORDER BY receipt.id)::text
        FROM memory_evidence receipt
        WHERE receipt.of_atom_id = atom.id AND receipt.outside_kind IS NOT NULL) AS outside
FROM memory_atom atom
WHERE workspace_id = %(workspace)s AND entity_id = %(entity)s AND status = 'live' AND id = ANY(%(rows)s::uuid[])
  AND (valid_until IS NULL OR valid_until > now())
