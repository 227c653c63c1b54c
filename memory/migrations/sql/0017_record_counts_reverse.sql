DROP TRIGGER atom_is_counted_off ON memory_atom;
DROP TRIGGER atom_is_counted_anew ON memory_atom;
DROP TRIGGER atom_is_counted ON memory_atom;
DROP FUNCTION memory_count_atoms();

DROP TRIGGER message_is_counted_off ON memory_message;
DROP TRIGGER message_is_counted ON memory_message;
DROP FUNCTION memory_count_messages();

ALTER TABLE memory_recordcount DROP CONSTRAINT record_count_entity_fk;
