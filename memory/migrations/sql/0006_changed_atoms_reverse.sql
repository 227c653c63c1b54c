-- As 0004_search.sql has it.
CREATE OR REPLACE FUNCTION memory_queue_changed_atoms() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO memory_unindexed (workspace_id, entity_id, layer, row, has_terms)
    SELECT later.workspace_id, later.entity_id, 1, later.id, false
    FROM fresh later JOIN stale earlier USING (id) WHERE later.status IS DISTINCT FROM earlier.status;
    INSERT INTO memory_unindexed (workspace_id, entity_id, layer, row, has_terms)
    SELECT DISTINCT version.workspace_id, version.entity_id, 2, version.scene_id, false
    FROM fresh later JOIN stale earlier USING (id)
    JOIN memory_evidence receipt ON receipt.atom_id = later.id
    JOIN memory_versionline place ON place.line_id = receipt.of_line_id
    JOIN memory_sceneversion version ON version.id = place.version_id AND version.is_head
    WHERE later.status IS DISTINCT FROM earlier.status;
    RETURN NULL;
END $$;
