DROP TRIGGER erase_leaves_no_shadow ON memory_entity;
DROP FUNCTION memory_erase_leaves_no_shadow();
DROP TRIGGER design_is_final ON memory_installeddesign;
ALTER TABLE memory_rebuild DROP CONSTRAINT rebuild_entity_fk;
ALTER TABLE memory_entity DROP CONSTRAINT entity_shadow_of_fk;
