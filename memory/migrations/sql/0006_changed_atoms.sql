-- An atom that lives or dies changes its own unit, and those of the scenes whose lines rest on it. Most updates of
-- atoms mark them as read and change no state: these end at once. The rest is looked up key by key: as one join,
-- planned while the tables were small and kept for the session, it could take minutes.
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
