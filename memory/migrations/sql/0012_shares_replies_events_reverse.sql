ALTER TABLE memory_share ALTER COLUMN reason SET STATISTICS -1;
ALTER TABLE memory_idempotentreply DROP CONSTRAINT idempotent_reply_entity_fk, DROP CONSTRAINT idempotent_reply_key_fk;
ALTER TABLE memory_share DROP CONSTRAINT share_reader_fk, DROP CONSTRAINT share_entity_fk;
-- An event of an entity that is gone cannot stand where every event has one.
DELETE FROM memory_outbox WHERE entity_id IS NULL;
