-- One that is over a day old and that retention has not taken yet makes place. The entity may be gone by now.
INSERT INTO memory_idempotentreply (workspace_id, key_id, entity_id, digest, request, status, ids)
VALUES (
    %(workspace)s, %(key)s,
    (SELECT id FROM memory_entity
     WHERE workspace_id = %(workspace)s AND name = %(entity)s AND shadow_of_id IS NULL),
    %(digest)s, %(request)s, %(status)s, %(ids)s
)
ON CONFLICT (key_id, digest) DO UPDATE SET
    entity_id = excluded.entity_id, request = excluded.request, status = excluded.status, ids = excluded.ids,
    created_at = excluded.created_at
