-- Feedback may name neither a use nor a version: then nothing else would hold it in its entity.
ALTER TABLE memory_feedback
    ADD CONSTRAINT feedback_entity_fk FOREIGN KEY (workspace_id, entity_id) REFERENCES memory_entity (workspace_id, id) DEFERRABLE INITIALLY DEFERRED;
