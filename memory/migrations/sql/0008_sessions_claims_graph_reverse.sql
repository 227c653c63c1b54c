DELETE FROM memory_work WHERE step IN ('compaction', 'promotion');
DELETE FROM memory_run WHERE step IN ('compaction', 'promotion');
DROP TRIGGER graph_edge_takes_bare_nodes ON memory_graphedge;
DROP FUNCTION memory_drop_bare_nodes();
DROP TRIGGER policy_change_waits_for_promotion ON memory_policy;
DROP FUNCTION memory_queue_promotion_of_claims();
DROP TRIGGER atom_change_waits_for_promotion ON memory_atom;
DROP TRIGGER atom_waits_for_promotion ON memory_atom;
DROP FUNCTION memory_queue_promotion_again();
DROP FUNCTION memory_queue_promotion();
DROP TRIGGER evidence_is_immutable ON memory_evidence;
CREATE TRIGGER evidence_is_immutable BEFORE UPDATE ON memory_evidence FOR EACH ROW
    WHEN ((OLD.of_atom_id, OLD.of_line_id, OLD.of_trait_version_id, OLD.message_id, OLD.atom_id, OLD.line_id,
           OLD.correction_id, OLD.outside_kind, OLD.outside_reference, OLD.outside_authority)
          IS DISTINCT FROM
          (NEW.of_atom_id, NEW.of_line_id, NEW.of_trait_version_id, NEW.message_id, NEW.atom_id, NEW.line_id,
           NEW.correction_id, NEW.outside_kind, NEW.outside_reference, NEW.outside_authority))
    EXECUTE FUNCTION memory_refuse_edit();
DROP TRIGGER atom_text_is_immutable ON memory_atom;
CREATE TRIGGER atom_text_is_immutable BEFORE UPDATE ON memory_atom FOR EACH ROW
    WHEN ((OLD.text, OLD.kind, OLD.seq) IS DISTINCT FROM (NEW.text, NEW.kind, NEW.seq))
    EXECUTE FUNCTION memory_refuse_edit();
DROP TRIGGER digest_is_immutable ON memory_digest;
-- As 0002_integrity.sql has it.
CREATE OR REPLACE FUNCTION memory_evidence_was_not_the_last() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM 1 FROM memory_atom WHERE id = OLD.of_atom_id FOR NO KEY UPDATE;
    PERFORM 1 FROM memory_line WHERE id = OLD.of_line_id FOR NO KEY UPDATE;
    PERFORM 1 FROM memory_traitversion WHERE id = OLD.of_trait_version_id FOR NO KEY UPDATE;
    IF EXISTS (SELECT 1 FROM memory_atom WHERE id = OLD.of_atom_id)
       AND NOT EXISTS (SELECT 1 FROM memory_evidence WHERE of_atom_id = OLD.of_atom_id)
       OR EXISTS (SELECT 1 FROM memory_line WHERE id = OLD.of_line_id AND erased_at IS NULL)
       AND NOT EXISTS (SELECT 1 FROM memory_evidence WHERE of_line_id = OLD.of_line_id)
       OR EXISTS (SELECT 1 FROM memory_traitversion WHERE id = OLD.of_trait_version_id)
       AND NOT EXISTS (SELECT 1 FROM memory_evidence WHERE of_trait_version_id = OLD.of_trait_version_id) THEN
        RAISE EXCEPTION 'evidence % was the last of a derived row that still stands', OLD.id
            USING ERRCODE = 'integrity_constraint_violation', CONSTRAINT = 'evidence_not_the_last';
    END IF;
    RETURN NULL;
END $$;
DELETE FROM memory_evidence WHERE of_digest_id IS NOT NULL;
DROP TRIGGER digest_has_evidence ON memory_digest;
DROP FUNCTION memory_digest_needs_evidence();
ALTER TABLE memory_evidence DROP CONSTRAINT evidence_of_digest_fk;
ALTER TABLE memory_unpromoted DROP CONSTRAINT unpromoted_atom_fk;
ALTER TABLE memory_graphedge
    DROP CONSTRAINT graph_edge_subject_fk, DROP CONSTRAINT graph_edge_object_fk, DROP CONSTRAINT graph_edge_atom_fk;
ALTER TABLE memory_graphnode DROP CONSTRAINT graph_node_entity_fk;
ALTER TABLE memory_livevalue DROP CONSTRAINT live_value_atom_fk;
ALTER TABLE memory_policy DROP CONSTRAINT policy_source_fk;
ALTER TABLE memory_digest DROP CONSTRAINT digest_session_fk;
