-- Digests, claims and the graph lie within one entity; digests rest on evidence; what changes waits for promotion.

ALTER TABLE memory_digest ADD CONSTRAINT digest_session_fk
    FOREIGN KEY (workspace_id, entity_id, session_id) REFERENCES memory_session (workspace_id, entity_id, id) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE memory_policy ADD CONSTRAINT policy_source_fk
    FOREIGN KEY (workspace_id, source_id) REFERENCES memory_livesource (workspace_id, id) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE memory_livevalue ADD CONSTRAINT live_value_atom_fk
    FOREIGN KEY (workspace_id, entity_id, atom_id) REFERENCES memory_atom (workspace_id, entity_id, id) ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE memory_graphnode ADD CONSTRAINT graph_node_entity_fk
    FOREIGN KEY (workspace_id, entity_id) REFERENCES memory_entity (workspace_id, id) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE memory_graphedge ADD CONSTRAINT graph_edge_subject_fk
    FOREIGN KEY (workspace_id, entity_id, subject_id) REFERENCES memory_graphnode (workspace_id, entity_id, id) ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE memory_graphedge ADD CONSTRAINT graph_edge_object_fk
    FOREIGN KEY (workspace_id, entity_id, object_id) REFERENCES memory_graphnode (workspace_id, entity_id, id) ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE memory_graphedge ADD CONSTRAINT graph_edge_atom_fk
    FOREIGN KEY (workspace_id, entity_id, atom_id) REFERENCES memory_atom (workspace_id, entity_id, id) ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE memory_unpromoted ADD CONSTRAINT unpromoted_atom_fk
    FOREIGN KEY (workspace_id, entity_id, atom_id) REFERENCES memory_atom (workspace_id, entity_id, id) ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE memory_evidence ADD CONSTRAINT evidence_of_digest_fk
    FOREIGN KEY (workspace_id, entity_id, of_digest_id) REFERENCES memory_digest (workspace_id, entity_id, id) DEFERRABLE INITIALLY DEFERRED;

CREATE FUNCTION memory_digest_needs_evidence() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF EXISTS (SELECT 1 FROM memory_digest WHERE id = NEW.id)
       AND NOT EXISTS (SELECT 1 FROM memory_evidence WHERE of_digest_id = NEW.id) THEN
        RAISE EXCEPTION 'digest % has no evidence', NEW.id
            USING ERRCODE = 'integrity_constraint_violation', CONSTRAINT = 'digest_has_evidence';
    END IF;
    RETURN NULL;
END $$;
CREATE CONSTRAINT TRIGGER digest_has_evidence AFTER INSERT ON memory_digest
    DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION memory_digest_needs_evidence();

-- As in 0002_integrity.sql, with digests.
CREATE OR REPLACE FUNCTION memory_evidence_was_not_the_last() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM 1 FROM memory_atom WHERE id = OLD.of_atom_id FOR NO KEY UPDATE;
    PERFORM 1 FROM memory_line WHERE id = OLD.of_line_id FOR NO KEY UPDATE;
    PERFORM 1 FROM memory_traitversion WHERE id = OLD.of_trait_version_id FOR NO KEY UPDATE;
    PERFORM 1 FROM memory_digest WHERE id = OLD.of_digest_id FOR NO KEY UPDATE;
    IF EXISTS (SELECT 1 FROM memory_atom WHERE id = OLD.of_atom_id)
       AND NOT EXISTS (SELECT 1 FROM memory_evidence WHERE of_atom_id = OLD.of_atom_id)
       OR EXISTS (SELECT 1 FROM memory_line WHERE id = OLD.of_line_id AND erased_at IS NULL)
       AND NOT EXISTS (SELECT 1 FROM memory_evidence WHERE of_line_id = OLD.of_line_id)
       OR EXISTS (SELECT 1 FROM memory_traitversion WHERE id = OLD.of_trait_version_id)
       AND NOT EXISTS (SELECT 1 FROM memory_evidence WHERE of_trait_version_id = OLD.of_trait_version_id)
       OR EXISTS (SELECT 1 FROM memory_digest WHERE id = OLD.of_digest_id)
       AND NOT EXISTS (SELECT 1 FROM memory_evidence WHERE of_digest_id = OLD.of_digest_id) THEN
        RAISE EXCEPTION 'evidence % was the last of a derived row that still stands', OLD.id
            USING ERRCODE = 'integrity_constraint_violation', CONSTRAINT = 'evidence_not_the_last';
    END IF;
    RETURN NULL;
END $$;

CREATE TRIGGER digest_is_immutable BEFORE UPDATE ON memory_digest FOR EACH ROW
    WHEN ((OLD.session_id, OLD.kind, OLD.number, OLD.text, OLD.until_ordinal)
          IS DISTINCT FROM (NEW.session_id, NEW.kind, NEW.number, NEW.text, NEW.until_ordinal))
    EXECUTE FUNCTION memory_refuse_edit();
DROP TRIGGER atom_text_is_immutable ON memory_atom;
CREATE TRIGGER atom_text_is_immutable BEFORE UPDATE ON memory_atom FOR EACH ROW
    WHEN ((OLD.text, OLD.kind, OLD.seq, OLD.subject_kind, OLD.subject_id, OLD.predicate, OLD.value, OLD.live_source)
          IS DISTINCT FROM
          (NEW.text, NEW.kind, NEW.seq, NEW.subject_kind, NEW.subject_id, NEW.predicate, NEW.value, NEW.live_source))
    EXECUTE FUNCTION memory_refuse_edit();
DROP TRIGGER evidence_is_immutable ON memory_evidence;
CREATE TRIGGER evidence_is_immutable BEFORE UPDATE ON memory_evidence FOR EACH ROW
    WHEN ((OLD.of_atom_id, OLD.of_line_id, OLD.of_trait_version_id, OLD.of_digest_id, OLD.message_id, OLD.atom_id,
           OLD.line_id, OLD.correction_id, OLD.outside_kind, OLD.outside_reference, OLD.outside_authority)
          IS DISTINCT FROM
          (NEW.of_atom_id, NEW.of_line_id, NEW.of_trait_version_id, NEW.of_digest_id, NEW.message_id, NEW.atom_id,
           NEW.line_id, NEW.correction_id, NEW.outside_kind, NEW.outside_reference, NEW.outside_authority))
    EXECUTE FUNCTION memory_refuse_edit();

-- Promotion's queue. An atom that dies, comes back or ends at another time changes its edge.
CREATE FUNCTION memory_queue_promotion() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO memory_unpromoted (workspace_id, entity_id, atom_id)
    SELECT workspace_id, entity_id, id FROM fresh;
    RETURN NULL;
END $$;
CREATE TRIGGER atom_waits_for_promotion AFTER INSERT ON memory_atom
    REFERENCING NEW TABLE AS fresh FOR EACH STATEMENT EXECUTE FUNCTION memory_queue_promotion();
CREATE FUNCTION memory_queue_promotion_again() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO memory_unpromoted (workspace_id, entity_id, atom_id)
    SELECT later.workspace_id, later.entity_id, later.id
    FROM fresh later JOIN stale earlier USING (id)
    WHERE (later.status, later.superseded_by_id, later.valid_from, later.valid_until)
          IS DISTINCT FROM (earlier.status, earlier.superseded_by_id, earlier.valid_from, earlier.valid_until);
    RETURN NULL;
END $$;
CREATE TRIGGER atom_change_waits_for_promotion AFTER UPDATE ON memory_atom
    REFERENCING NEW TABLE AS fresh OLD TABLE AS stale FOR EACH STATEMENT EXECUTE FUNCTION memory_queue_promotion_again();

-- Another policy projects other claims.
CREATE FUNCTION memory_queue_promotion_of_claims() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO memory_unpromoted (workspace_id, entity_id, atom_id)
    SELECT atom.workspace_id, atom.entity_id, atom.id FROM memory_atom atom
    JOIN memory_entity entity ON entity.id = atom.entity_id AND entity.shadow_of_id IS NULL
    WHERE atom.workspace_id = coalesce(NEW.workspace_id, OLD.workspace_id) AND atom.predicate <> '';
    RETURN NULL;
END $$;
CREATE TRIGGER policy_change_waits_for_promotion AFTER INSERT OR UPDATE OR DELETE ON memory_policy
    FOR EACH ROW EXECUTE FUNCTION memory_queue_promotion_of_claims();

-- A node is there for its edges: whoever takes the last one, by whatever way, takes the node with it.
CREATE FUNCTION memory_drop_bare_nodes() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    DELETE FROM memory_graphnode node
    USING (SELECT subject_id AS id FROM gone UNION SELECT object_id FROM gone WHERE object_id IS NOT NULL) left_by
    WHERE node.id = left_by.id
      AND NOT EXISTS (SELECT 1 FROM memory_graphedge edge WHERE edge.subject_id = node.id)
      AND NOT EXISTS (SELECT 1 FROM memory_graphedge edge WHERE edge.object_id = node.id);
    RETURN NULL;
END $$;
CREATE TRIGGER graph_edge_takes_bare_nodes AFTER DELETE ON memory_graphedge
    REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION memory_drop_bare_nodes();

-- What stood before waits as well, and every entity gets its rows for the new steps.
INSERT INTO memory_unpromoted (workspace_id, entity_id, atom_id)
    SELECT atom.workspace_id, atom.entity_id, atom.id FROM memory_atom atom
    JOIN memory_entity entity ON entity.id = atom.entity_id AND entity.shadow_of_id IS NULL;
INSERT INTO memory_work (id, workspace_id, entity_id, step, is_flushing, token, worker, failures, last_error, last_error_kind)
    SELECT gen_random_uuid(), entity.workspace_id, entity.id, step, false, 0, '', 0, '', ''
    FROM memory_entity entity CROSS JOIN unnest(ARRAY['compaction', 'promotion']) AS step
    WHERE EXISTS (SELECT 1 FROM memory_work other WHERE other.entity_id = entity.id);
UPDATE memory_session SET last_message_at = (
    SELECT recorded_at FROM memory_message
    WHERE session_id = memory_session.id ORDER BY ordinal DESC LIMIT 1
);
