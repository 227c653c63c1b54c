-- What Django's constraints cannot say. Keys that run over (workspace, entity, id), so that no row can point
-- across an entity; derived rows that cannot be committed without evidence; texts that cannot be changed.

-- Every row of an entity lies in that entity's workspace.
ALTER TABLE memory_session ADD CONSTRAINT session_entity_fk
    FOREIGN KEY (workspace_id, entity_id) REFERENCES memory_entity (workspace_id, id) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE memory_message ADD CONSTRAINT message_session_fk
    FOREIGN KEY (workspace_id, entity_id, session_id) REFERENCES memory_session (workspace_id, entity_id, id) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE memory_message ADD CONSTRAINT message_parent_fk
    FOREIGN KEY (workspace_id, entity_id, parent_id) REFERENCES memory_message (workspace_id, entity_id, id) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE memory_chain ADD CONSTRAINT chain_entity_fk
    FOREIGN KEY (workspace_id, entity_id) REFERENCES memory_entity (workspace_id, id) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE memory_atom ADD CONSTRAINT atom_chain_fk
    FOREIGN KEY (workspace_id, entity_id, chain_id) REFERENCES memory_chain (workspace_id, entity_id, id) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE memory_atom ADD CONSTRAINT atom_superseded_by_fk
    FOREIGN KEY (workspace_id, entity_id, superseded_by_id) REFERENCES memory_atom (workspace_id, entity_id, id) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE memory_scene ADD CONSTRAINT scene_entity_fk
    FOREIGN KEY (workspace_id, entity_id) REFERENCES memory_entity (workspace_id, id) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE memory_scene ADD CONSTRAINT scene_merged_into_fk
    FOREIGN KEY (workspace_id, entity_id, merged_into_id) REFERENCES memory_scene (workspace_id, entity_id, id) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE memory_line ADD CONSTRAINT line_scene_fk
    FOREIGN KEY (workspace_id, entity_id, scene_id) REFERENCES memory_scene (workspace_id, entity_id, id) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE memory_line ADD CONSTRAINT line_correction_fk
    FOREIGN KEY (workspace_id, entity_id, correction_id) REFERENCES memory_correction (workspace_id, entity_id, id) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE memory_sceneversion ADD CONSTRAINT scene_version_scene_fk
    FOREIGN KEY (workspace_id, entity_id, scene_id) REFERENCES memory_scene (workspace_id, entity_id, id) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE memory_sceneversion ADD CONSTRAINT scene_version_correction_fk
    FOREIGN KEY (workspace_id, entity_id, correction_id) REFERENCES memory_correction (workspace_id, entity_id, id) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE memory_versionline ADD CONSTRAINT version_line_version_fk
    FOREIGN KEY (workspace_id, entity_id, version_id) REFERENCES memory_sceneversion (workspace_id, entity_id, id) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE memory_versionline ADD CONSTRAINT version_line_line_fk
    FOREIGN KEY (workspace_id, entity_id, line_id) REFERENCES memory_line (workspace_id, entity_id, id) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE memory_trait ADD CONSTRAINT trait_entity_fk
    FOREIGN KEY (workspace_id, entity_id) REFERENCES memory_entity (workspace_id, id) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE memory_traitversion ADD CONSTRAINT trait_version_trait_fk
    FOREIGN KEY (workspace_id, entity_id, trait_id) REFERENCES memory_trait (workspace_id, entity_id, id) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE memory_traitversion ADD CONSTRAINT trait_version_correction_fk
    FOREIGN KEY (workspace_id, entity_id, correction_id) REFERENCES memory_correction (workspace_id, entity_id, id) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE memory_correction ADD CONSTRAINT correction_entity_fk
    FOREIGN KEY (workspace_id, entity_id) REFERENCES memory_entity (workspace_id, id) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE memory_run ADD CONSTRAINT run_entity_fk
    FOREIGN KEY (workspace_id, entity_id) REFERENCES memory_entity (workspace_id, id) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE memory_work ADD CONSTRAINT work_entity_fk
    FOREIGN KEY (workspace_id, entity_id) REFERENCES memory_entity (workspace_id, id) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE memory_outbox ADD CONSTRAINT outbox_entity_fk
    FOREIGN KEY (workspace_id, entity_id) REFERENCES memory_entity (workspace_id, id) DEFERRABLE INITIALLY DEFERRED;

-- Evidence: both ends within one entity.
ALTER TABLE memory_evidence ADD CONSTRAINT evidence_of_atom_fk
    FOREIGN KEY (workspace_id, entity_id, of_atom_id) REFERENCES memory_atom (workspace_id, entity_id, id) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE memory_evidence ADD CONSTRAINT evidence_of_line_fk
    FOREIGN KEY (workspace_id, entity_id, of_line_id) REFERENCES memory_line (workspace_id, entity_id, id) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE memory_evidence ADD CONSTRAINT evidence_of_trait_version_fk
    FOREIGN KEY (workspace_id, entity_id, of_trait_version_id) REFERENCES memory_traitversion (workspace_id, entity_id, id) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE memory_evidence ADD CONSTRAINT evidence_message_fk
    FOREIGN KEY (workspace_id, entity_id, message_id) REFERENCES memory_message (workspace_id, entity_id, id) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE memory_evidence ADD CONSTRAINT evidence_atom_fk
    FOREIGN KEY (workspace_id, entity_id, atom_id) REFERENCES memory_atom (workspace_id, entity_id, id) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE memory_evidence ADD CONSTRAINT evidence_line_fk
    FOREIGN KEY (workspace_id, entity_id, line_id) REFERENCES memory_line (workspace_id, entity_id, id) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE memory_evidence ADD CONSTRAINT evidence_correction_fk
    FOREIGN KEY (workspace_id, entity_id, correction_id) REFERENCES memory_correction (workspace_id, entity_id, id) DEFERRABLE INITIALLY DEFERRED;

-- A key opens entities of its own workspace alone. Django makes this table and writes two columns of it, so a
-- trigger fills the third, over which the keys run.
ALTER TABLE memory_key ADD CONSTRAINT key_in_workspace UNIQUE (workspace_id, id);
ALTER TABLE memory_key_entities ADD COLUMN workspace_id uuid;
UPDATE memory_key_entities SET workspace_id = memory_key.workspace_id
    FROM memory_key WHERE memory_key.id = memory_key_entities.key_id;
ALTER TABLE memory_key_entities ALTER COLUMN workspace_id SET NOT NULL;
ALTER TABLE memory_key_entities ADD CONSTRAINT key_entity_key_fk
    FOREIGN KEY (workspace_id, key_id) REFERENCES memory_key (workspace_id, id) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE memory_key_entities ADD CONSTRAINT key_entity_entity_fk
    FOREIGN KEY (workspace_id, entity_id) REFERENCES memory_entity (workspace_id, id) DEFERRABLE INITIALLY DEFERRED;
CREATE FUNCTION memory_key_entity_takes_workspace() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    NEW.workspace_id := (SELECT workspace_id FROM memory_key WHERE id = NEW.key_id);
    RETURN NEW;
END $$;
CREATE TRIGGER key_entity_takes_workspace BEFORE INSERT OR UPDATE ON memory_key_entities
    FOR EACH ROW EXECUTE FUNCTION memory_key_entity_takes_workspace();

-- Nothing derived stands without evidence: looked at when the transaction commits.
CREATE FUNCTION memory_atom_needs_evidence() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF EXISTS (SELECT 1 FROM memory_atom WHERE id = NEW.id)
       AND NOT EXISTS (SELECT 1 FROM memory_evidence WHERE of_atom_id = NEW.id) THEN
        RAISE EXCEPTION 'atom % has no evidence', NEW.id
            USING ERRCODE = 'integrity_constraint_violation', CONSTRAINT = 'atom_has_evidence';
    END IF;
    RETURN NULL;
END $$;

CREATE FUNCTION memory_line_needs_evidence() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF EXISTS (SELECT 1 FROM memory_line WHERE id = NEW.id AND erased_at IS NULL)
       AND NOT EXISTS (SELECT 1 FROM memory_evidence WHERE of_line_id = NEW.id) THEN
        RAISE EXCEPTION 'line % has no evidence', NEW.id
            USING ERRCODE = 'integrity_constraint_violation', CONSTRAINT = 'line_has_evidence';
    END IF;
    RETURN NULL;
END $$;

CREATE FUNCTION memory_trait_version_needs_evidence() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF EXISTS (SELECT 1 FROM memory_traitversion WHERE id = NEW.id)
       AND NOT EXISTS (SELECT 1 FROM memory_evidence WHERE of_trait_version_id = NEW.id) THEN
        RAISE EXCEPTION 'trait version % has no evidence', NEW.id
            USING ERRCODE = 'integrity_constraint_violation', CONSTRAINT = 'trait_version_has_evidence';
    END IF;
    RETURN NULL;
END $$;

-- Taking the last receipt away is refused as well, unless what rested on it goes in the same transaction.
-- Two transactions that take one of two receipts each do not see each other: the row locks make the second wait.
CREATE FUNCTION memory_evidence_was_not_the_last() RETURNS trigger LANGUAGE plpgsql AS $$
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

CREATE CONSTRAINT TRIGGER atom_has_evidence AFTER INSERT ON memory_atom
    DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION memory_atom_needs_evidence();
CREATE CONSTRAINT TRIGGER line_has_evidence AFTER INSERT OR UPDATE OF erased_at ON memory_line
    DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION memory_line_needs_evidence();
CREATE CONSTRAINT TRIGGER trait_version_has_evidence AFTER INSERT ON memory_traitversion
    DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION memory_trait_version_needs_evidence();
CREATE CONSTRAINT TRIGGER evidence_not_the_last
    AFTER DELETE ON memory_evidence
    DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION memory_evidence_was_not_the_last();

-- What was said, claimed or written down is never edited.
CREATE FUNCTION memory_refuse_edit() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION '% % cannot be edited', TG_TABLE_NAME, OLD.id
        USING ERRCODE = 'integrity_constraint_violation', CONSTRAINT = TG_NAME;
END $$;

CREATE TRIGGER message_is_immutable BEFORE UPDATE ON memory_message FOR EACH ROW
    WHEN ((OLD.workspace_id, OLD.entity_id, OLD.text, OLD.attachment_text, OLD.role, OLD.speaker, OLD.ordinal, OLD.session_id, OLD.seq,
           OLD.occurred_at, OLD.recorded_at, OLD.tool_name, OLD.tool_calls, OLD.tool_call_id, OLD.metadata,
           OLD.content_hash, OLD.dedupe_key)
          IS DISTINCT FROM
          (NEW.workspace_id, NEW.entity_id, NEW.text, NEW.attachment_text, NEW.role, NEW.speaker, NEW.ordinal, NEW.session_id, NEW.seq,
           NEW.occurred_at, NEW.recorded_at, NEW.tool_name, NEW.tool_calls, NEW.tool_call_id, NEW.metadata,
           NEW.content_hash, NEW.dedupe_key))
    EXECUTE FUNCTION memory_refuse_edit();
CREATE TRIGGER atom_text_is_immutable BEFORE UPDATE ON memory_atom FOR EACH ROW
    WHEN ((OLD.text, OLD.kind, OLD.seq) IS DISTINCT FROM (NEW.text, NEW.kind, NEW.seq))
    EXECUTE FUNCTION memory_refuse_edit();
CREATE TRIGGER line_is_immutable BEFORE UPDATE ON memory_line FOR EACH ROW
    WHEN ((OLD.section, OLD.scene_id) IS DISTINCT FROM (NEW.section, NEW.scene_id)
          OR OLD.text IS DISTINCT FROM NEW.text AND NEW.erased_at IS NULL)
    EXECUTE FUNCTION memory_refuse_edit();
CREATE TRIGGER scene_version_is_immutable BEFORE UPDATE ON memory_sceneversion FOR EACH ROW
    WHEN ((OLD.scene_id, OLD.number, OLD.seq) IS DISTINCT FROM (NEW.scene_id, NEW.number, NEW.seq))
    EXECUTE FUNCTION memory_refuse_edit();
CREATE TRIGGER version_line_is_immutable BEFORE UPDATE ON memory_versionline FOR EACH ROW
    WHEN ((OLD.version_id, OLD.line_id, OLD.position) IS DISTINCT FROM (NEW.version_id, NEW.line_id, NEW.position))
    EXECUTE FUNCTION memory_refuse_edit();
CREATE TRIGGER trait_version_is_immutable BEFORE UPDATE ON memory_traitversion FOR EACH ROW
    WHEN ((OLD.trait_id, OLD.number, OLD.text, OLD.seq)
          IS DISTINCT FROM (NEW.trait_id, NEW.number, NEW.text, NEW.seq))
    EXECUTE FUNCTION memory_refuse_edit();
-- A receipt is given or taken away, never pointed elsewhere.
CREATE TRIGGER evidence_is_immutable BEFORE UPDATE ON memory_evidence FOR EACH ROW
    WHEN ((OLD.of_atom_id, OLD.of_line_id, OLD.of_trait_version_id, OLD.message_id, OLD.atom_id, OLD.line_id,
           OLD.correction_id, OLD.outside_kind, OLD.outside_reference, OLD.outside_authority)
          IS DISTINCT FROM
          (NEW.of_atom_id, NEW.of_line_id, NEW.of_trait_version_id, NEW.message_id, NEW.atom_id, NEW.line_id,
           NEW.correction_id, NEW.outside_kind, NEW.outside_reference, NEW.outside_authority))
    EXECUTE FUNCTION memory_refuse_edit();
