-- What results do not show of atoms and a context has to know: the situation of a rule, and what makes a claim.
SELECT id, scope, subject_kind, subject_id, predicate, value, live_source, authority, valid_from, valid_until
FROM memory_atom
WHERE workspace_id = %(workspace)s AND entity_id = %(entity)s AND id = ANY(%(atoms)s::uuid[])
  AND (scope <> '' OR predicate <> '')
