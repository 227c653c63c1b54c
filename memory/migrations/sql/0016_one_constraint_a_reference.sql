-- References within an entity are held by their composite foreign keys alone; beside each stood one of Django's own.

ALTER TABLE memory_atom
    DROP CONSTRAINT memory_atom_chain_id_a039604d_fk_memory_chain_id,
    DROP CONSTRAINT memory_atom_entity_id_96af53ae_fk_memory_entity_id,
    DROP CONSTRAINT memory_atom_superseded_by_id_bed0b3b7_fk_memory_atom_id,
    DROP CONSTRAINT memory_atom_workspace_id_c661a975_fk_memory_workspace_id;

ALTER TABLE memory_chain
    DROP CONSTRAINT memory_chain_entity_id_af00da8d_fk_memory_entity_id,
    DROP CONSTRAINT memory_chain_workspace_id_1e2a1452_fk_memory_workspace_id;

ALTER TABLE memory_correction
    DROP CONSTRAINT memory_correction_entity_id_c7df94b0_fk_memory_entity_id,
    DROP CONSTRAINT memory_correction_workspace_id_dce115d7_fk_memory_workspace_id;

ALTER TABLE memory_digest
    DROP CONSTRAINT memory_digest_entity_id_e39c0a9e_fk_memory_entity_id,
    DROP CONSTRAINT memory_digest_session_id_f9979740_fk_memory_session_id,
    DROP CONSTRAINT memory_digest_workspace_id_da4c6477_fk_memory_workspace_id;

ALTER TABLE memory_evidence
    DROP CONSTRAINT memory_evidence_entity_id_04edf099_fk_memory_entity_id,
    DROP CONSTRAINT memory_evidence_workspace_id_599ea825_fk_memory_workspace_id;

ALTER TABLE memory_feedback
    DROP CONSTRAINT memory_feedback_entity_id_0e19c868_fk_memory_entity_id,
    DROP CONSTRAINT memory_feedback_workspace_id_76dcb4ba_fk_memory_workspace_id;

ALTER TABLE memory_graphedge
    DROP CONSTRAINT memory_graphedge_entity_id_562f5e4f_fk_memory_entity_id,
    DROP CONSTRAINT memory_graphedge_workspace_id_b6f7c4c1_fk_memory_workspace_id;

ALTER TABLE memory_graphnode
    DROP CONSTRAINT memory_graphnode_entity_id_45401a8e_fk_memory_entity_id,
    DROP CONSTRAINT memory_graphnode_workspace_id_61896e7e_fk_memory_workspace_id;

ALTER TABLE memory_languagesample
    DROP CONSTRAINT memory_languagesampl_workspace_id_6497eec5_fk_memory_wo,
    DROP CONSTRAINT memory_languagesample_entity_id_fef688e1_fk_memory_entity_id;

ALTER TABLE memory_layercount
    DROP CONSTRAINT memory_layercount_entity_id_c8309314_fk_memory_entity_id,
    DROP CONSTRAINT memory_layercount_workspace_id_18f387d7_fk_memory_workspace_id;

ALTER TABLE memory_line
    DROP CONSTRAINT memory_line_correction_id_b752d454_fk_memory_correction_id,
    DROP CONSTRAINT memory_line_entity_id_141f8335_fk_memory_entity_id,
    DROP CONSTRAINT memory_line_scene_id_809a6d97_fk_memory_scene_id,
    DROP CONSTRAINT memory_line_workspace_id_b486f3d5_fk_memory_workspace_id;

ALTER TABLE memory_livevalue
    DROP CONSTRAINT memory_livevalue_entity_id_15713d00_fk_memory_entity_id,
    DROP CONSTRAINT memory_livevalue_workspace_id_752bd669_fk_memory_workspace_id;

ALTER TABLE memory_message
    DROP CONSTRAINT memory_message_entity_id_033b2405_fk_memory_entity_id,
    DROP CONSTRAINT memory_message_parent_id_0e02a195_fk_memory_message_id,
    DROP CONSTRAINT memory_message_session_id_905eb8df_fk_memory_session_id,
    DROP CONSTRAINT memory_message_workspace_id_f9b7ce26_fk_memory_workspace_id;

ALTER TABLE memory_outbox
    DROP CONSTRAINT memory_outbox_entity_id_43f98b14_fk_memory_entity_id,
    DROP CONSTRAINT memory_outbox_workspace_id_3901e2a3_fk_memory_workspace_id;

ALTER TABLE memory_procedure
    DROP CONSTRAINT memory_procedure_entity_id_784e2d30_fk_memory_entity_id,
    DROP CONSTRAINT memory_procedure_workspace_id_8dc4ab9e_fk_memory_workspace_id;

ALTER TABLE memory_procedureline
    DROP CONSTRAINT memory_procedureline_entity_id_5d60184a_fk_memory_entity_id,
    DROP CONSTRAINT memory_procedureline_workspace_id_edd06a70_fk_memory_wo;

ALTER TABLE memory_procedureversion
    DROP CONSTRAINT memory_procedurevers_workspace_id_207cccc9_fk_memory_wo,
    DROP CONSTRAINT memory_procedureversion_entity_id_3a3be62d_fk_memory_entity_id;

ALTER TABLE memory_rebuild
    DROP CONSTRAINT memory_rebuild_entity_id_68e18020_fk_memory_entity_id,
    DROP CONSTRAINT memory_rebuild_workspace_id_e48d1e33_fk_memory_workspace_id;

ALTER TABLE memory_review
    DROP CONSTRAINT memory_review_entity_id_9ec5766e_fk_memory_entity_id,
    DROP CONSTRAINT memory_review_workspace_id_04c0214a_fk_memory_workspace_id;

ALTER TABLE memory_run
    DROP CONSTRAINT memory_run_entity_id_b3e6b204_fk_memory_entity_id,
    DROP CONSTRAINT memory_run_workspace_id_49909cfe_fk_memory_workspace_id;

ALTER TABLE memory_scene
    DROP CONSTRAINT memory_scene_entity_id_8b28e99d_fk_memory_entity_id,
    DROP CONSTRAINT memory_scene_merged_into_id_1976ce8b_fk_memory_scene_id,
    DROP CONSTRAINT memory_scene_workspace_id_ba7a5cfb_fk_memory_workspace_id;

ALTER TABLE memory_sceneversion
    DROP CONSTRAINT memory_sceneversion_correction_id_ac666daa_fk_memory_co,
    DROP CONSTRAINT memory_sceneversion_entity_id_4fa1e46c_fk_memory_entity_id,
    DROP CONSTRAINT memory_sceneversion_scene_id_c0984b18_fk_memory_scene_id,
    DROP CONSTRAINT memory_sceneversion_workspace_id_f8f66947_fk_memory_wo;

ALTER TABLE memory_searchunit
    DROP CONSTRAINT memory_searchunit_entity_id_b55670ae_fk_memory_entity_id,
    DROP CONSTRAINT memory_searchunit_workspace_id_671e2a8b_fk_memory_workspace_id;

ALTER TABLE memory_session
    DROP CONSTRAINT memory_session_entity_id_93b2c0c5_fk_memory_entity_id,
    DROP CONSTRAINT memory_session_workspace_id_0a4569b5_fk_memory_workspace_id;

ALTER TABLE memory_share
    DROP CONSTRAINT memory_share_entity_id_8db46c9a_fk_memory_entity_id,
    DROP CONSTRAINT memory_share_workspace_id_121656e8_fk_memory_workspace_id;

ALTER TABLE memory_skillinput
    DROP CONSTRAINT memory_skillinput_entity_id_57f9026c_fk_memory_entity_id,
    DROP CONSTRAINT memory_skillinput_workspace_id_e79f2790_fk_memory_workspace_id;

ALTER TABLE memory_tasktrace
    DROP CONSTRAINT memory_tasktrace_entity_id_d9271dc1_fk_memory_entity_id,
    DROP CONSTRAINT memory_tasktrace_workspace_id_559fe968_fk_memory_workspace_id;

ALTER TABLE memory_termcount
    DROP CONSTRAINT memory_termcount_entity_id_a9503d6e_fk_memory_entity_id,
    DROP CONSTRAINT memory_termcount_workspace_id_bc026d1f_fk_memory_workspace_id;

ALTER TABLE memory_tracestep
    DROP CONSTRAINT memory_tracestep_entity_id_c0910718_fk_memory_entity_id,
    DROP CONSTRAINT memory_tracestep_workspace_id_1d9b8010_fk_memory_workspace_id;

ALTER TABLE memory_trait
    DROP CONSTRAINT memory_trait_entity_id_b4e78c3c_fk_memory_entity_id,
    DROP CONSTRAINT memory_trait_workspace_id_0e6a45c3_fk_memory_workspace_id;

ALTER TABLE memory_traitversion
    DROP CONSTRAINT memory_traitversion_correction_id_687f36b6_fk_memory_co,
    DROP CONSTRAINT memory_traitversion_entity_id_26edd5b8_fk_memory_entity_id,
    DROP CONSTRAINT memory_traitversion_trait_id_95d6fc6b_fk_memory_trait_id,
    DROP CONSTRAINT memory_traitversion_workspace_id_9478a7c8_fk_memory_wo;

ALTER TABLE memory_unindexed
    DROP CONSTRAINT memory_unindexed_entity_id_7be32813_fk_memory_entity_id,
    DROP CONSTRAINT memory_unindexed_workspace_id_eb2bc109_fk_memory_workspace_id;

ALTER TABLE memory_unitvector
    DROP CONSTRAINT memory_unitvector_entity_id_606d269f_fk_memory_entity_id,
    DROP CONSTRAINT memory_unitvector_workspace_id_da30c5b2_fk_memory_workspace_id;

ALTER TABLE memory_unpromoted
    DROP CONSTRAINT memory_unpromoted_entity_id_7049eeb2_fk_memory_entity_id,
    DROP CONSTRAINT memory_unpromoted_workspace_id_112e302f_fk_memory_workspace_id;

ALTER TABLE memory_use
    DROP CONSTRAINT memory_use_entity_id_f73b2e97_fk_memory_entity_id,
    DROP CONSTRAINT memory_use_workspace_id_b994e76a_fk_memory_workspace_id;

ALTER TABLE memory_versionline
    DROP CONSTRAINT memory_versionline_entity_id_834b5332_fk_memory_entity_id,
    DROP CONSTRAINT memory_versionline_line_id_bb3bab90_fk_memory_line_id,
    DROP CONSTRAINT memory_versionline_version_id_ce6a5950_fk_memory_sc,
    DROP CONSTRAINT memory_versionline_workspace_id_4572112c_fk_memory_workspace_id;

ALTER TABLE memory_work
    DROP CONSTRAINT memory_work_entity_id_29301642_fk_memory_entity_id,
    DROP CONSTRAINT memory_work_workspace_id_afeed31b_fk_memory_workspace_id;

-- A unique key begins with the same column.
DROP INDEX memory_digest_session_id_f9979740;
DROP INDEX memory_message_session_id_905eb8df;
DROP INDEX memory_versionline_version_id_ce6a5950;

-- Feedback may name neither a use nor a version: then nothing else would hold it in its entity.
ALTER TABLE memory_feedback
    ADD CONSTRAINT feedback_entity_fk FOREIGN KEY (workspace_id, entity_id) REFERENCES memory_entity (workspace_id, id) DEFERRABLE INITIALLY DEFERRED;
