-- A shadow lies beside its entity, rebuilds lie in their entity's workspace, and a version of a design is final.

ALTER TABLE memory_entity ADD CONSTRAINT entity_shadow_of_fk
    FOREIGN KEY (workspace_id, shadow_of_id) REFERENCES memory_entity (workspace_id, id) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE memory_rebuild ADD CONSTRAINT rebuild_entity_fk
    FOREIGN KEY (workspace_id, entity_id) REFERENCES memory_entity (workspace_id, id) DEFERRABLE INITIALLY DEFERRED;

CREATE TRIGGER design_is_final BEFORE UPDATE ON memory_installeddesign FOR EACH ROW
    WHEN ((OLD.workspace_id, OLD.name, OLD.version, OLD.digest, OLD.content)
          IS DISTINCT FROM (NEW.workspace_id, NEW.name, NEW.version, NEW.digest, NEW.content))
    EXECUTE FUNCTION memory_refuse_edit();

-- A shadow holds copies of what was said. No erase may commit while one stands: what was erased would live on.
CREATE FUNCTION memory_erase_leaves_no_shadow() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF EXISTS (SELECT 1 FROM memory_entity WHERE shadow_of_id = NEW.id) THEN
        RAISE EXCEPTION 'entity % was erased from while a rebuild of it is open', NEW.id
            USING ERRCODE = 'integrity_constraint_violation', CONSTRAINT = 'erase_leaves_no_shadow';
    END IF;
    RETURN NULL;
END $$;
CREATE CONSTRAINT TRIGGER erase_leaves_no_shadow AFTER UPDATE OF erase_epoch ON memory_entity
    DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN (OLD.erase_epoch IS DISTINCT FROM NEW.erase_epoch)
    EXECUTE FUNCTION memory_erase_leaves_no_shadow();
