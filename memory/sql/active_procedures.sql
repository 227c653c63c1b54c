-- What may be handed to agents: the active versions of an entity's live procedures with their lines, and who approved
-- each of them, the newest first. The last column counts all of them, for no more than `most` are read.
SELECT version.id, version.procedure_id, procedure.slug, version.number, version.title, version.boundary,
       (SELECT json_agg(json_build_array(line.section, line.text) ORDER BY line.position)::text
        FROM memory_procedureline line
        WHERE line.version_id = version.id AND line.erased_at IS NULL) AS lines,
       review.created_at, COALESCE(person.username, NULLIF(review.by, ''), key.label, '') AS reviewer,
       count(*) OVER () AS total
FROM memory_procedureversion version
JOIN memory_procedure procedure ON procedure.id = version.procedure_id
LEFT JOIN LATERAL (
    SELECT created_at, by, user_id, key_id
    FROM memory_review
    WHERE version_id = version.id AND verdict IN ('approved', 'edited', 'rolled_back')
    ORDER BY created_at DESC, id DESC LIMIT 1
) review ON true
LEFT JOIN auth_user person ON person.id = review.user_id
LEFT JOIN memory_key key ON key.id = review.key_id
WHERE version.workspace_id = %(workspace)s AND version.entity_id = %(entity)s
  AND version.status = 'active' AND procedure.status = 'live'
ORDER BY version.seq DESC
LIMIT %(most)s
