-- Shares and replies lie within one workspace. Their foreign keys are looked at only where something is named.
ALTER TABLE memory_share
    ADD CONSTRAINT share_entity_fk FOREIGN KEY (workspace_id, entity_id) REFERENCES memory_entity (workspace_id, id) DEFERRABLE INITIALLY DEFERRED,
    ADD CONSTRAINT share_reader_fk FOREIGN KEY (workspace_id, reader_id) REFERENCES memory_entity (workspace_id, id) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE memory_idempotentreply
    ADD CONSTRAINT idempotent_reply_key_fk FOREIGN KEY (workspace_id, key_id) REFERENCES memory_key (workspace_id, id) DEFERRABLE INITIALLY DEFERRED,
    ADD CONSTRAINT idempotent_reply_entity_fk FOREIGN KEY (workspace_id, entity_id) REFERENCES memory_entity (workspace_id, id) DEFERRABLE INITIALLY DEFERRED;

-- As in 0011_erasing.sql: what ANALYZE keeps of a column would outlive the words in it.
ALTER TABLE memory_share ALTER COLUMN reason SET STATISTICS 0;
