CREATE OR REPLACE FUNCTION memory_queue_promotion_again() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO memory_unpromoted (workspace_id, entity_id, atom_id)
    SELECT later.workspace_id, later.entity_id, later.id
    FROM fresh later JOIN stale earlier USING (id)
    WHERE (later.status, later.superseded_by_id, later.valid_from, later.valid_until)
          IS DISTINCT FROM (earlier.status, earlier.superseded_by_id, earlier.valid_from, earlier.valid_until);
    RETURN NULL;
END $$;

CREATE OR REPLACE FUNCTION memory_queue_changed_atoms() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    changed uuid[] := ARRAY(
        SELECT later.id FROM fresh later JOIN stale earlier USING (id)
        WHERE later.status IS DISTINCT FROM earlier.status
    );
BEGIN
    IF cardinality(changed) = 0 THEN
        RETURN NULL;
    END IF;
    INSERT INTO memory_unindexed (workspace_id, entity_id, layer, row, has_terms)
    SELECT workspace_id, entity_id, 1, id, false FROM fresh WHERE id = ANY(changed);
    INSERT INTO memory_unindexed (workspace_id, entity_id, layer, row, has_terms)
    SELECT DISTINCT version.workspace_id, version.entity_id, 2, version.scene_id, false
    FROM unnest(changed) AS one (id)
    CROSS JOIN LATERAL (
        SELECT of_line_id FROM memory_evidence WHERE atom_id = one.id AND of_line_id IS NOT NULL OFFSET 0
    ) receipt
    CROSS JOIN LATERAL (
        SELECT version_id FROM memory_versionline WHERE line_id = receipt.of_line_id OFFSET 0
    ) place
    CROSS JOIN LATERAL (
        SELECT workspace_id, entity_id, scene_id FROM memory_sceneversion
        WHERE id = place.version_id AND is_head LIMIT 1
    ) version;
    RETURN NULL;
END $$;
