DELETE FROM memory_work WHERE step = 'skill_extract';
DELETE FROM memory_run WHERE step IN ('skill_extract', 'answer');
DROP TRIGGER feedback_waits_for_skills ON memory_feedback;
DROP TRIGGER trace_waits_for_skills ON memory_tasktrace;
DROP FUNCTION memory_queue_feedback();
DROP FUNCTION memory_queue_traces();
DROP TRIGGER evidence_is_immutable ON memory_evidence;
CREATE TRIGGER evidence_is_immutable BEFORE UPDATE ON memory_evidence FOR EACH ROW
    WHEN ((OLD.of_atom_id, OLD.of_line_id, OLD.of_trait_version_id, OLD.of_digest_id, OLD.message_id, OLD.atom_id,
           OLD.line_id, OLD.correction_id, OLD.outside_kind, OLD.outside_reference, OLD.outside_authority)
          IS DISTINCT FROM
          (NEW.of_atom_id, NEW.of_line_id, NEW.of_trait_version_id, NEW.of_digest_id, NEW.message_id, NEW.atom_id,
           NEW.line_id, NEW.correction_id, NEW.outside_kind, NEW.outside_reference, NEW.outside_authority))
    EXECUTE FUNCTION memory_refuse_edit();
DROP TRIGGER feedback_is_immutable ON memory_feedback;
DROP TRIGGER procedure_line_is_immutable ON memory_procedureline;
DROP TRIGGER trace_step_is_immutable ON memory_tracestep;
DELETE FROM memory_evidence WHERE of_procedure_line_id IS NOT NULL;
-- A wording whose text was erased cannot stand where none may be empty.
DELETE FROM memory_evidence WHERE of_trait_version_id IN (SELECT id FROM memory_traitversion WHERE erased_at IS NOT NULL);
DELETE FROM memory_traitversion WHERE erased_at IS NOT NULL;
DROP TRIGGER trait_version_is_immutable ON memory_traitversion;
CREATE TRIGGER trait_version_is_immutable BEFORE UPDATE ON memory_traitversion FOR EACH ROW
    WHEN ((OLD.trait_id, OLD.number, OLD.text, OLD.seq)
          IS DISTINCT FROM (NEW.trait_id, NEW.number, NEW.text, NEW.seq))
    EXECUTE FUNCTION memory_refuse_edit();
-- As 0008_sessions_claims_graph.sql has it.
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
DROP TRIGGER trait_version_has_evidence ON memory_traitversion;
-- As 0002_integrity.sql has them.
CREATE OR REPLACE FUNCTION memory_trait_version_needs_evidence() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF EXISTS (SELECT 1 FROM memory_traitversion WHERE id = NEW.id)
       AND NOT EXISTS (SELECT 1 FROM memory_evidence WHERE of_trait_version_id = NEW.id) THEN
        RAISE EXCEPTION 'trait version % has no evidence', NEW.id
            USING ERRCODE = 'integrity_constraint_violation', CONSTRAINT = 'trait_version_has_evidence';
    END IF;
    RETURN NULL;
END $$;
CREATE CONSTRAINT TRIGGER trait_version_has_evidence AFTER INSERT ON memory_traitversion
    DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION memory_trait_version_needs_evidence();
DROP TRIGGER procedure_line_has_evidence ON memory_procedureline;
DROP FUNCTION memory_procedure_line_needs_evidence();
ALTER TABLE memory_erasure DROP CONSTRAINT erasure_entity_fk;
ALTER TABLE memory_evidence DROP CONSTRAINT evidence_feedback_fk;
ALTER TABLE memory_evidence DROP CONSTRAINT evidence_trace_step_fk;
ALTER TABLE memory_evidence DROP CONSTRAINT evidence_of_procedure_line_fk;
ALTER TABLE memory_skillinput DROP CONSTRAINT skill_input_feedback_fk;
ALTER TABLE memory_skillinput DROP CONSTRAINT skill_input_trace_fk;
ALTER TABLE memory_feedback DROP CONSTRAINT feedback_version_fk;
ALTER TABLE memory_feedback DROP CONSTRAINT feedback_use_fk;
ALTER TABLE memory_use DROP CONSTRAINT use_session_fk;
ALTER TABLE memory_use DROP CONSTRAINT use_entity_fk;
ALTER TABLE memory_review DROP CONSTRAINT review_version_fk;
ALTER TABLE memory_procedureline DROP CONSTRAINT procedure_line_version_fk;
ALTER TABLE memory_procedureversion DROP CONSTRAINT procedure_version_base_fk;
ALTER TABLE memory_procedureversion DROP CONSTRAINT procedure_version_procedure_fk;
ALTER TABLE memory_procedure DROP CONSTRAINT procedure_entity_fk;
ALTER TABLE memory_tracestep DROP CONSTRAINT trace_step_message_fk;
ALTER TABLE memory_tracestep DROP CONSTRAINT trace_step_trace_fk;
ALTER TABLE memory_tasktrace DROP CONSTRAINT trace_session_fk;
ALTER TABLE memory_tasktrace DROP CONSTRAINT trace_entity_fk;
