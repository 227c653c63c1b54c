-- What results do not show of atoms that are claims, and a context has to know.
SELECT id, subject_kind, subject_id, predicate, value, live_source, authority, valid_from, valid_until
FROM memory_atom
WHERE workspace_id = %(workspace)s AND entity_id = %(entity)s AND id = ANY(%(atoms)s::uuid[]) AND predicate <> ''
