-- What changes waits for the index step, whoever wrote it: statement triggers fill the queue in the writing
-- transaction, so that nothing committed can be missed and no writer has to think of search.

ALTER TABLE memory_searchunit ADD CONSTRAINT search_unit_entity_fk
    FOREIGN KEY (workspace_id, entity_id) REFERENCES memory_entity (workspace_id, id) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE memory_searchunit ADD CONSTRAINT search_unit_message_fk
    FOREIGN KEY (workspace_id, entity_id, message_id) REFERENCES memory_message (workspace_id, entity_id, id) ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE memory_searchunit ADD CONSTRAINT search_unit_atom_fk
    FOREIGN KEY (workspace_id, entity_id, atom_id) REFERENCES memory_atom (workspace_id, entity_id, id) ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE memory_searchunit ADD CONSTRAINT search_unit_scene_fk
    FOREIGN KEY (workspace_id, entity_id, scene_id) REFERENCES memory_scene (workspace_id, entity_id, id) ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE memory_searchunit ADD CONSTRAINT search_unit_trait_fk
    FOREIGN KEY (workspace_id, entity_id, trait_id) REFERENCES memory_trait (workspace_id, entity_id, id) ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE memory_searchunit ADD CONSTRAINT search_unit_session_fk
    FOREIGN KEY (workspace_id, entity_id, session_id) REFERENCES memory_session (workspace_id, entity_id, id) ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE memory_termcount ADD CONSTRAINT term_count_entity_fk
    FOREIGN KEY (workspace_id, entity_id) REFERENCES memory_entity (workspace_id, id) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE memory_layercount ADD CONSTRAINT layer_count_entity_fk
    FOREIGN KEY (workspace_id, entity_id) REFERENCES memory_entity (workspace_id, id) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE memory_unindexed ADD CONSTRAINT unindexed_entity_fk
    FOREIGN KEY (workspace_id, entity_id) REFERENCES memory_entity (workspace_id, id) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE memory_languagesample ADD CONSTRAINT language_sample_entity_fk
    FOREIGN KEY (workspace_id, entity_id) REFERENCES memory_entity (workspace_id, id) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE memory_unitvector ADD CONSTRAINT unit_vector_entity_fk
    FOREIGN KEY (workspace_id, entity_id) REFERENCES memory_entity (workspace_id, id) DEFERRABLE INITIALLY DEFERRED;

ALTER TABLE memory_unitvector ADD CONSTRAINT unit_vector_unit_fk
    FOREIGN KEY (unit_id) REFERENCES memory_searchunit (id) ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED;

-- A vector that a search compares has to lie in the row itself, not behind a pointer.
ALTER TABLE memory_unitvector ALTER COLUMN embedding SET STORAGE PLAIN;

-- A message's unit holds the turn before it: a message that comes in between changes its successor's unit too.
CREATE FUNCTION memory_queue_messages() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO memory_unindexed (workspace_id, entity_id, layer, row, has_terms)
    SELECT workspace_id, entity_id, 0, id, false FROM fresh;
    INSERT INTO memory_unindexed (workspace_id, entity_id, layer, row, has_terms)
    SELECT next.workspace_id, next.entity_id, 0, next.id, false
    FROM fresh JOIN memory_message next
      ON next.session_id = fresh.session_id AND next.ordinal = fresh.ordinal + 1
    WHERE NOT EXISTS (SELECT 1 FROM fresh other WHERE other.id = next.id);
    RETURN NULL;
END $$;
CREATE TRIGGER message_is_queued AFTER INSERT ON memory_message
    REFERENCING NEW TABLE AS fresh FOR EACH STATEMENT EXECUTE FUNCTION memory_queue_messages();

CREATE FUNCTION memory_queue_new_atoms() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO memory_unindexed (workspace_id, entity_id, layer, row, has_terms)
    SELECT workspace_id, entity_id, 1, id, false FROM fresh WHERE status = 'live';
    RETURN NULL;
END $$;
CREATE TRIGGER atom_is_queued AFTER INSERT ON memory_atom
    REFERENCING NEW TABLE AS fresh FOR EACH STATEMENT EXECUTE FUNCTION memory_queue_new_atoms();

-- An atom that lives or dies changes its own unit, and those of the scenes whose lines rest on it.
CREATE FUNCTION memory_queue_changed_atoms() RETURNS trigger LANGUAGE plpgsql AS $$
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
CREATE TRIGGER atom_change_is_queued AFTER UPDATE ON memory_atom
    REFERENCING NEW TABLE AS fresh OLD TABLE AS stale FOR EACH STATEMENT EXECUTE FUNCTION memory_queue_changed_atoms();

CREATE FUNCTION memory_queue_scenes() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO memory_unindexed (workspace_id, entity_id, layer, row, has_terms)
    SELECT DISTINCT workspace_id, entity_id, 2, scene_id, false FROM fresh;
    RETURN NULL;
END $$;
CREATE TRIGGER scene_version_is_queued AFTER INSERT ON memory_sceneversion
    REFERENCING NEW TABLE AS fresh FOR EACH STATEMENT EXECUTE FUNCTION memory_queue_scenes();

CREATE FUNCTION memory_queue_ended_scenes() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO memory_unindexed (workspace_id, entity_id, layer, row, has_terms)
    SELECT later.workspace_id, later.entity_id, 2, later.id, false
    FROM fresh later JOIN stale earlier USING (id) WHERE later.status IS DISTINCT FROM earlier.status;
    RETURN NULL;
END $$;
CREATE TRIGGER scene_end_is_queued AFTER UPDATE ON memory_scene
    REFERENCING NEW TABLE AS fresh OLD TABLE AS stale FOR EACH STATEMENT EXECUTE FUNCTION memory_queue_ended_scenes();

CREATE FUNCTION memory_queue_traits() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO memory_unindexed (workspace_id, entity_id, layer, row, has_terms)
    SELECT DISTINCT workspace_id, entity_id, 3, trait_id, false FROM fresh;
    RETURN NULL;
END $$;
CREATE TRIGGER trait_version_is_queued AFTER INSERT ON memory_traitversion
    REFERENCING NEW TABLE AS fresh FOR EACH STATEMENT EXECUTE FUNCTION memory_queue_traits();

CREATE FUNCTION memory_queue_retracted_traits() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO memory_unindexed (workspace_id, entity_id, layer, row, has_terms)
    SELECT later.workspace_id, later.entity_id, 3, later.id, false
    FROM fresh later JOIN stale earlier USING (id) WHERE later.status IS DISTINCT FROM earlier.status;
    RETURN NULL;
END $$;
CREATE TRIGGER trait_end_is_queued AFTER UPDATE ON memory_trait
    REFERENCING NEW TABLE AS fresh OLD TABLE AS stale FOR EACH STATEMENT EXECUTE FUNCTION memory_queue_retracted_traits();

-- What was stored before there was a queue waits as well.
INSERT INTO memory_unindexed (workspace_id, entity_id, layer, row, has_terms)
    SELECT workspace_id, entity_id, 0, id, false FROM memory_message;
INSERT INTO memory_unindexed (workspace_id, entity_id, layer, row, has_terms)
    SELECT workspace_id, entity_id, 1, id, false FROM memory_atom WHERE status = 'live';
INSERT INTO memory_unindexed (workspace_id, entity_id, layer, row, has_terms)
    SELECT workspace_id, entity_id, 2, id, false FROM memory_scene WHERE status = 'live';
INSERT INTO memory_unindexed (workspace_id, entity_id, layer, row, has_terms)
    SELECT workspace_id, entity_id, 3, id, false FROM memory_trait WHERE status = 'live';
