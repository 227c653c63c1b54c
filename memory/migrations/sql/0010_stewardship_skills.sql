-- Skills lie within one entity; lines of procedures rest on evidence; what an agent did is never edited; traces
-- and feedback wait for skill_extract. Erased wordings of traits need no evidence any more, as erased lines.

ALTER TABLE memory_tasktrace
    ADD CONSTRAINT trace_entity_fk FOREIGN KEY (workspace_id, entity_id) REFERENCES memory_entity (workspace_id, id) DEFERRABLE INITIALLY DEFERRED,
    ADD CONSTRAINT trace_session_fk FOREIGN KEY (workspace_id, entity_id, session_id) REFERENCES memory_session (workspace_id, entity_id, id) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE memory_tracestep
    ADD CONSTRAINT trace_step_trace_fk FOREIGN KEY (workspace_id, entity_id, trace_id) REFERENCES memory_tasktrace (workspace_id, entity_id, id) DEFERRABLE INITIALLY DEFERRED,
    ADD CONSTRAINT trace_step_message_fk FOREIGN KEY (workspace_id, entity_id, message_id) REFERENCES memory_message (workspace_id, entity_id, id) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE memory_procedure
    ADD CONSTRAINT procedure_entity_fk FOREIGN KEY (workspace_id, entity_id) REFERENCES memory_entity (workspace_id, id) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE memory_procedureversion
    ADD CONSTRAINT procedure_version_procedure_fk FOREIGN KEY (workspace_id, entity_id, procedure_id) REFERENCES memory_procedure (workspace_id, entity_id, id) DEFERRABLE INITIALLY DEFERRED,
    ADD CONSTRAINT procedure_version_base_fk FOREIGN KEY (workspace_id, entity_id, base_id) REFERENCES memory_procedureversion (workspace_id, entity_id, id) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE memory_procedureline
    ADD CONSTRAINT procedure_line_version_fk FOREIGN KEY (workspace_id, entity_id, version_id) REFERENCES memory_procedureversion (workspace_id, entity_id, id) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE memory_review
    ADD CONSTRAINT review_version_fk FOREIGN KEY (workspace_id, entity_id, version_id) REFERENCES memory_procedureversion (workspace_id, entity_id, id) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE memory_use
    ADD CONSTRAINT use_entity_fk FOREIGN KEY (workspace_id, entity_id) REFERENCES memory_entity (workspace_id, id) DEFERRABLE INITIALLY DEFERRED,
    ADD CONSTRAINT use_session_fk FOREIGN KEY (workspace_id, entity_id, session_id) REFERENCES memory_session (workspace_id, entity_id, id) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE memory_feedback
    ADD CONSTRAINT feedback_use_fk FOREIGN KEY (workspace_id, entity_id, use_id) REFERENCES memory_use (workspace_id, entity_id, id) DEFERRABLE INITIALLY DEFERRED,
    ADD CONSTRAINT feedback_version_fk FOREIGN KEY (workspace_id, entity_id, procedure_version_id) REFERENCES memory_procedureversion (workspace_id, entity_id, id) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE memory_skillinput
    ADD CONSTRAINT skill_input_trace_fk FOREIGN KEY (workspace_id, entity_id, trace_id) REFERENCES memory_tasktrace (workspace_id, entity_id, id) ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED,
    ADD CONSTRAINT skill_input_feedback_fk FOREIGN KEY (workspace_id, entity_id, feedback_id) REFERENCES memory_feedback (workspace_id, entity_id, id) ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE memory_evidence
    ADD CONSTRAINT evidence_of_procedure_line_fk FOREIGN KEY (workspace_id, entity_id, of_procedure_line_id) REFERENCES memory_procedureline (workspace_id, entity_id, id) DEFERRABLE INITIALLY DEFERRED,
    ADD CONSTRAINT evidence_trace_step_fk FOREIGN KEY (workspace_id, entity_id, trace_step_id) REFERENCES memory_tracestep (workspace_id, entity_id, id) DEFERRABLE INITIALLY DEFERRED,
    ADD CONSTRAINT evidence_feedback_fk FOREIGN KEY (workspace_id, entity_id, feedback_id) REFERENCES memory_feedback (workspace_id, entity_id, id) DEFERRABLE INITIALLY DEFERRED;
-- The entity may be gone, so only what is still there is looked at.
ALTER TABLE memory_erasure
    ADD CONSTRAINT erasure_entity_fk FOREIGN KEY (workspace_id, entity_id) REFERENCES memory_entity (workspace_id, id) DEFERRABLE INITIALLY DEFERRED;

CREATE FUNCTION memory_procedure_line_needs_evidence() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF EXISTS (SELECT 1 FROM memory_procedureline WHERE id = NEW.id AND erased_at IS NULL)
       AND NOT EXISTS (SELECT 1 FROM memory_evidence WHERE of_procedure_line_id = NEW.id) THEN
        RAISE EXCEPTION 'procedure line % has no evidence', NEW.id
            USING ERRCODE = 'integrity_constraint_violation', CONSTRAINT = 'procedure_line_has_evidence';
    END IF;
    RETURN NULL;
END $$;
CREATE CONSTRAINT TRIGGER procedure_line_has_evidence AFTER INSERT OR UPDATE OF erased_at ON memory_procedureline
    DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION memory_procedure_line_needs_evidence();

CREATE OR REPLACE FUNCTION memory_trait_version_needs_evidence() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF EXISTS (SELECT 1 FROM memory_traitversion WHERE id = NEW.id AND erased_at IS NULL)
       AND NOT EXISTS (SELECT 1 FROM memory_evidence WHERE of_trait_version_id = NEW.id) THEN
        RAISE EXCEPTION 'trait version % has no evidence', NEW.id
            USING ERRCODE = 'integrity_constraint_violation', CONSTRAINT = 'trait_version_has_evidence';
    END IF;
    RETURN NULL;
END $$;
DROP TRIGGER trait_version_has_evidence ON memory_traitversion;
CREATE CONSTRAINT TRIGGER trait_version_has_evidence AFTER INSERT OR UPDATE OF erased_at ON memory_traitversion
    DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION memory_trait_version_needs_evidence();

-- As in 0008_sessions_claims_graph.sql, with lines of procedures and erased trait versions.
CREATE OR REPLACE FUNCTION memory_evidence_was_not_the_last() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM 1 FROM memory_atom WHERE id = OLD.of_atom_id FOR NO KEY UPDATE;
    PERFORM 1 FROM memory_line WHERE id = OLD.of_line_id FOR NO KEY UPDATE;
    PERFORM 1 FROM memory_traitversion WHERE id = OLD.of_trait_version_id FOR NO KEY UPDATE;
    PERFORM 1 FROM memory_digest WHERE id = OLD.of_digest_id FOR NO KEY UPDATE;
    PERFORM 1 FROM memory_procedureline WHERE id = OLD.of_procedure_line_id FOR NO KEY UPDATE;
    IF EXISTS (SELECT 1 FROM memory_atom WHERE id = OLD.of_atom_id)
       AND NOT EXISTS (SELECT 1 FROM memory_evidence WHERE of_atom_id = OLD.of_atom_id)
       OR EXISTS (SELECT 1 FROM memory_line WHERE id = OLD.of_line_id AND erased_at IS NULL)
       AND NOT EXISTS (SELECT 1 FROM memory_evidence WHERE of_line_id = OLD.of_line_id)
       OR EXISTS (SELECT 1 FROM memory_traitversion WHERE id = OLD.of_trait_version_id AND erased_at IS NULL)
       AND NOT EXISTS (SELECT 1 FROM memory_evidence WHERE of_trait_version_id = OLD.of_trait_version_id)
       OR EXISTS (SELECT 1 FROM memory_digest WHERE id = OLD.of_digest_id)
       AND NOT EXISTS (SELECT 1 FROM memory_evidence WHERE of_digest_id = OLD.of_digest_id)
       OR EXISTS (SELECT 1 FROM memory_procedureline WHERE id = OLD.of_procedure_line_id AND erased_at IS NULL)
       AND NOT EXISTS (SELECT 1 FROM memory_evidence WHERE of_procedure_line_id = OLD.of_procedure_line_id) THEN
        RAISE EXCEPTION 'evidence % was the last of a derived row that still stands', OLD.id
            USING ERRCODE = 'integrity_constraint_violation', CONSTRAINT = 'evidence_not_the_last';
    END IF;
    RETURN NULL;
END $$;

-- Texts stay as they were written; erasing empties them.
DROP TRIGGER trait_version_is_immutable ON memory_traitversion;
CREATE TRIGGER trait_version_is_immutable BEFORE UPDATE ON memory_traitversion FOR EACH ROW
    WHEN ((OLD.trait_id, OLD.number, OLD.seq) IS DISTINCT FROM (NEW.trait_id, NEW.number, NEW.seq)
          OR OLD.text IS DISTINCT FROM NEW.text AND NEW.erased_at IS NULL)
    EXECUTE FUNCTION memory_refuse_edit();
CREATE TRIGGER trace_step_is_immutable BEFORE UPDATE ON memory_tracestep FOR EACH ROW
    WHEN ((OLD.trace_id, OLD.position, OLD.kind, OLD.tool_name, OLD.text, OLD.message_id)
          IS DISTINCT FROM (NEW.trace_id, NEW.position, NEW.kind, NEW.tool_name, NEW.text, NEW.message_id))
    EXECUTE FUNCTION memory_refuse_edit();
CREATE TRIGGER procedure_line_is_immutable BEFORE UPDATE ON memory_procedureline FOR EACH ROW
    WHEN ((OLD.version_id, OLD.section, OLD.position) IS DISTINCT FROM (NEW.version_id, NEW.section, NEW.position)
          OR OLD.text IS DISTINCT FROM NEW.text AND NEW.erased_at IS NULL)
    EXECUTE FUNCTION memory_refuse_edit();
CREATE TRIGGER feedback_is_immutable BEFORE UPDATE ON memory_feedback FOR EACH ROW
    WHEN ((OLD.kind, OLD.source, OLD.score, OLD.label, OLD.comment, OLD.expected, OLD.actual)
          IS DISTINCT FROM (NEW.kind, NEW.source, NEW.score, NEW.label, NEW.comment, NEW.expected, NEW.actual))
    EXECUTE FUNCTION memory_refuse_edit();
DROP TRIGGER evidence_is_immutable ON memory_evidence;
CREATE TRIGGER evidence_is_immutable BEFORE UPDATE ON memory_evidence FOR EACH ROW
    WHEN ((OLD.of_atom_id, OLD.of_line_id, OLD.of_trait_version_id, OLD.of_digest_id, OLD.of_procedure_line_id,
           OLD.message_id, OLD.atom_id, OLD.line_id, OLD.correction_id, OLD.trace_step_id, OLD.feedback_id,
           OLD.outside_kind, OLD.outside_reference, OLD.outside_authority)
          IS DISTINCT FROM
          (NEW.of_atom_id, NEW.of_line_id, NEW.of_trait_version_id, NEW.of_digest_id, NEW.of_procedure_line_id,
           NEW.message_id, NEW.atom_id, NEW.line_id, NEW.correction_id, NEW.trace_step_id, NEW.feedback_id,
           NEW.outside_kind, NEW.outside_reference, NEW.outside_authority))
    EXECUTE FUNCTION memory_refuse_edit();

-- What was done and what was said of it waits for skill_extract, whoever wrote it.
CREATE FUNCTION memory_queue_traces() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO memory_skillinput (workspace_id, entity_id, trace_id) SELECT workspace_id, entity_id, id FROM fresh;
    RETURN NULL;
END $$;
CREATE TRIGGER trace_waits_for_skills AFTER INSERT ON memory_tasktrace
    REFERENCING NEW TABLE AS fresh FOR EACH STATEMENT EXECUTE FUNCTION memory_queue_traces();
CREATE FUNCTION memory_queue_feedback() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO memory_skillinput (workspace_id, entity_id, feedback_id) SELECT workspace_id, entity_id, id FROM fresh;
    RETURN NULL;
END $$;
CREATE TRIGGER feedback_waits_for_skills AFTER INSERT ON memory_feedback
    REFERENCING NEW TABLE AS fresh FOR EACH STATEMENT EXECUTE FUNCTION memory_queue_feedback();

INSERT INTO memory_work (id, workspace_id, entity_id, step, is_flushing, token, worker, failures, last_error, last_error_kind)
    SELECT gen_random_uuid(), entity.workspace_id, entity.id, 'skill_extract', false, 0, '', 0, '', ''
    FROM memory_entity entity
    WHERE EXISTS (SELECT 1 FROM memory_work other WHERE other.entity_id = entity.id);
