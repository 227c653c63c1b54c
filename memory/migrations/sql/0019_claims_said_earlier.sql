-- Promotion's queue: an atom that dies, comes back, begins or ends at another time changes its edge. Where no beginning
-- is told a claim begins when it was said first, and what was said earlier may come in later.
CREATE OR REPLACE FUNCTION memory_queue_promotion_again() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO memory_unpromoted (workspace_id, entity_id, atom_id)
    SELECT later.workspace_id, later.entity_id, later.id
    FROM fresh later JOIN stale earlier USING (id)
    WHERE (later.status, later.superseded_by_id, later.valid_from, later.valid_until, later.occurred_at)
          IS DISTINCT FROM
          (earlier.status, earlier.superseded_by_id, earlier.valid_from, earlier.valid_until, earlier.occurred_at);
    RETURN NULL;
END $$;

-- The queue of the index: its unit tells when an atom was said. Scenes' sections come along, which is seldom.
CREATE OR REPLACE FUNCTION memory_queue_changed_atoms() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    changed uuid[] := ARRAY(
        SELECT later.id FROM fresh later JOIN stale earlier USING (id)
        WHERE (later.status, later.occurred_at) IS DISTINCT FROM (earlier.status, earlier.occurred_at)
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

-- What was said earlier before there was this: it waits now. Whoever looks for waiting rows finds them.
INSERT INTO memory_unindexed (workspace_id, entity_id, layer, row, has_terms)
SELECT atom.workspace_id, atom.entity_id, 1, atom.id, false
FROM memory_searchunit unit JOIN memory_atom atom ON atom.id = unit.atom_id
WHERE unit.occurred_at IS DISTINCT FROM atom.occurred_at;
INSERT INTO memory_unpromoted (workspace_id, entity_id, atom_id)
SELECT atom.workspace_id, atom.entity_id, atom.id
FROM memory_graphedge edge JOIN memory_atom atom ON atom.id = edge.atom_id
WHERE atom.predicate <> '' AND atom.valid_from IS NULL
  AND edge.valid_from IS DISTINCT FROM coalesce(atom.occurred_at, atom.created_at);
