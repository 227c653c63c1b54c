-- The entity of a name, no shadow. The columns are those of ENTITY_FIELDS in memory/ingest/entities.py, in their
-- order.
SELECT id, workspace_id, name, group_id, user_id, time_zone, paused_steps, erase_epoch, shadow_of_id, created_at
FROM memory_entity
WHERE workspace_id = %(workspace)s AND name = %(name)s AND shadow_of_id IS NULL
