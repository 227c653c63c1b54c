ALTER TABLE memory_feedback DROP CONSTRAINT feedback_entity_fk;
