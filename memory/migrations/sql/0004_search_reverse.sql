DROP TRIGGER trait_end_is_queued ON memory_trait;
DROP TRIGGER trait_version_is_queued ON memory_traitversion;
DROP TRIGGER scene_end_is_queued ON memory_scene;
DROP TRIGGER scene_version_is_queued ON memory_sceneversion;
DROP TRIGGER atom_change_is_queued ON memory_atom;
DROP TRIGGER atom_is_queued ON memory_atom;
DROP TRIGGER message_is_queued ON memory_message;
DROP FUNCTION memory_queue_retracted_traits();
DROP FUNCTION memory_queue_traits();
DROP FUNCTION memory_queue_ended_scenes();
DROP FUNCTION memory_queue_scenes();
DROP FUNCTION memory_queue_changed_atoms();
DROP FUNCTION memory_queue_new_atoms();
DROP FUNCTION memory_queue_messages();
ALTER TABLE memory_unitvector DROP CONSTRAINT unit_vector_unit_fk, DROP CONSTRAINT unit_vector_entity_fk;
ALTER TABLE memory_languagesample DROP CONSTRAINT language_sample_entity_fk;
ALTER TABLE memory_unindexed DROP CONSTRAINT unindexed_entity_fk;
ALTER TABLE memory_layercount DROP CONSTRAINT layer_count_entity_fk;
ALTER TABLE memory_termcount DROP CONSTRAINT term_count_entity_fk;
ALTER TABLE memory_searchunit DROP CONSTRAINT search_unit_entity_fk, DROP CONSTRAINT search_unit_message_fk,
    DROP CONSTRAINT search_unit_atom_fk, DROP CONSTRAINT search_unit_scene_fk,
    DROP CONSTRAINT search_unit_trait_fk, DROP CONSTRAINT search_unit_session_fk;
