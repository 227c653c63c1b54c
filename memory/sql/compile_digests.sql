-- The summary of a session, and the newest briefs of the entity's other sessions.
(
    SELECT digest.id, digest.kind, digest.text, digest.until_ordinal, session.external_id, session.ended_at
    FROM memory_digest digest
    JOIN memory_session session ON session.id = digest.session_id
    WHERE digest.workspace_id = %(workspace)s AND digest.entity_id = %(entity)s
      AND digest.session_id = %(session)s AND digest.kind = 'summary' AND digest.is_head
    LIMIT 1
)
UNION ALL
(
    SELECT digest.id, digest.kind, digest.text, digest.until_ordinal, session.external_id, session.ended_at
    FROM memory_digest digest
    CROSS JOIN LATERAL (
        SELECT external_id, ended_at FROM memory_session WHERE id = digest.session_id LIMIT 1
    ) session
    WHERE digest.workspace_id = %(workspace)s AND digest.entity_id = %(entity)s
      AND digest.session_id <> %(session)s AND digest.kind = 'brief' AND digest.is_head
    ORDER BY digest.created_at DESC
    LIMIT %(most_briefs)s
)
