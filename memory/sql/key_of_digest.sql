-- A key with its workspace and the entities that it is bound to. The columns are those of KEY_FIELDS and
-- WORKSPACE_FIELDS in memory/ingest/access.py, in their order.
SELECT key.id, key.workspace_id, key.label, key.prefix, key.digest, key.scopes, key.is_bound, key.created_at,
       key.expires_at, key.revoked_at, key.last_used_at,
       workspace.id, workspace.name, workspace.design, workspace.daily_token_budget,
       workspace.message_days, workspace.run_days, workspace.use_days, workspace.event_days, workspace.created_at,
       ARRAY(SELECT entity_id FROM memory_key_entities WHERE key_id = key.id)
FROM memory_key key
JOIN memory_workspace workspace ON workspace.id = key.workspace_id
WHERE key.digest = %(digest)s
