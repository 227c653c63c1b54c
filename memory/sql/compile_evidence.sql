-- What atoms rest on: those that are given, and those under the lines.
SELECT of_atom_id, message_id, correction_id, outside_kind, outside_reference, outside_authority
FROM memory_evidence
WHERE workspace_id = %(workspace)s AND entity_id = %(entity)s
  AND of_atom_id = ANY(%(atoms)s::uuid[] || %(rules)s::uuid[] || ARRAY(
      SELECT atom_id FROM memory_evidence
      WHERE workspace_id = %(workspace)s AND entity_id = %(entity)s
        AND of_line_id = ANY(%(lines)s::uuid[]) AND atom_id IS NOT NULL
  ))
ORDER BY id
