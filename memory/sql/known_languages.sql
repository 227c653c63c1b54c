-- The languages in which an entity's words are stemmed.
SELECT languages FROM memory_languagesample WHERE workspace_id = %(workspace)s AND entity_id = %(entity)s
