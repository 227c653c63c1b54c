-- Terms that no unit of an entity holds any more are forgotten.
DELETE FROM memory_termcount WHERE workspace_id = %(workspace)s AND entity_id = %(entity)s AND units = 0
