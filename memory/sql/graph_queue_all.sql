-- Every atom of an entity waits for promotion; those that did already, or were set aside, wait once.
WITH cleared AS (
    DELETE FROM memory_unpromoted WHERE workspace_id = %(workspace)s AND entity_id = %(entity)s
)
INSERT INTO memory_unpromoted (workspace_id, entity_id, atom_id)
SELECT workspace_id, entity_id, id FROM memory_atom
WHERE workspace_id = %(workspace)s AND entity_id = %(entity)s
ORDER BY seq
