-- The entity of a name, no shadow, and the languages of its words. The columns are those of ENTITY_FIELDS in
-- memory/ingest/entities.py, in their order.
SELECT entity.id, entity.workspace_id, entity.name, entity.group_id, entity.user_id, entity.time_zone,
       entity.paused_steps, entity.erase_epoch, entity.shadow_of_id, entity.created_at,
       (SELECT languages FROM memory_languagesample WHERE workspace_id = entity.workspace_id AND entity_id = entity.id)
FROM memory_entity entity
WHERE entity.workspace_id = %(workspace)s AND entity.name = %(name)s AND entity.shadow_of_id IS NULL
