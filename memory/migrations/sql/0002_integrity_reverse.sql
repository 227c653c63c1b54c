DROP TRIGGER evidence_is_immutable ON memory_evidence;
DROP TRIGGER trait_version_is_immutable ON memory_traitversion;
DROP TRIGGER version_line_is_immutable ON memory_versionline;
DROP TRIGGER scene_version_is_immutable ON memory_sceneversion;
DROP TRIGGER line_is_immutable ON memory_line;
DROP TRIGGER atom_text_is_immutable ON memory_atom;
DROP TRIGGER message_is_immutable ON memory_message;
DROP TRIGGER evidence_not_the_last ON memory_evidence;
DROP TRIGGER trait_version_has_evidence ON memory_traitversion;
DROP TRIGGER line_has_evidence ON memory_line;
DROP TRIGGER atom_has_evidence ON memory_atom;
DROP FUNCTION memory_refuse_edit();
DROP FUNCTION memory_evidence_was_not_the_last();
DROP FUNCTION memory_trait_version_needs_evidence();
DROP FUNCTION memory_line_needs_evidence();
DROP FUNCTION memory_atom_needs_evidence();
DROP TRIGGER key_entity_takes_workspace ON memory_key_entities;
DROP FUNCTION memory_key_entity_takes_workspace();
ALTER TABLE memory_key_entities
    DROP CONSTRAINT key_entity_key_fk, DROP CONSTRAINT key_entity_entity_fk, DROP COLUMN workspace_id;
ALTER TABLE memory_key DROP CONSTRAINT key_in_workspace;
ALTER TABLE memory_evidence
    DROP CONSTRAINT evidence_of_atom_fk, DROP CONSTRAINT evidence_of_line_fk,
    DROP CONSTRAINT evidence_of_trait_version_fk, DROP CONSTRAINT evidence_message_fk,
    DROP CONSTRAINT evidence_atom_fk, DROP CONSTRAINT evidence_line_fk, DROP CONSTRAINT evidence_correction_fk;
ALTER TABLE memory_outbox DROP CONSTRAINT outbox_entity_fk;
ALTER TABLE memory_work DROP CONSTRAINT work_entity_fk;
ALTER TABLE memory_run DROP CONSTRAINT run_entity_fk;
ALTER TABLE memory_correction DROP CONSTRAINT correction_entity_fk;
ALTER TABLE memory_traitversion DROP CONSTRAINT trait_version_trait_fk, DROP CONSTRAINT trait_version_correction_fk;
ALTER TABLE memory_trait DROP CONSTRAINT trait_entity_fk;
ALTER TABLE memory_versionline DROP CONSTRAINT version_line_version_fk, DROP CONSTRAINT version_line_line_fk;
ALTER TABLE memory_sceneversion DROP CONSTRAINT scene_version_scene_fk, DROP CONSTRAINT scene_version_correction_fk;
ALTER TABLE memory_line DROP CONSTRAINT line_scene_fk, DROP CONSTRAINT line_correction_fk;
ALTER TABLE memory_scene DROP CONSTRAINT scene_entity_fk, DROP CONSTRAINT scene_merged_into_fk;
ALTER TABLE memory_atom DROP CONSTRAINT atom_chain_fk, DROP CONSTRAINT atom_superseded_by_fk;
ALTER TABLE memory_chain DROP CONSTRAINT chain_entity_fk;
ALTER TABLE memory_message DROP CONSTRAINT message_session_fk, DROP CONSTRAINT message_parent_fk;
ALTER TABLE memory_session DROP CONSTRAINT session_entity_fk;
