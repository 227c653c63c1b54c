-- Messages and atoms are counted where they come, go or change their state, whoever writes them. A row is added for each
-- change: a total that all writers of an entity update would have them wait in line, and a snapshot sees of either table
-- what it sees of the other. Rows go with their entity, also those that its own deletion adds.

-- In the order in which writers come to them: who has one and wants the next would wait for us, and we for him.
LOCK TABLE memory_entity, memory_atom, memory_message IN SHARE ROW EXCLUSIVE MODE;

ALTER TABLE memory_recordcount ADD CONSTRAINT record_count_entity_fk
    FOREIGN KEY (workspace_id, entity_id) REFERENCES memory_entity (workspace_id, id) ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED;

CREATE FUNCTION memory_count_messages() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'INSERT' THEN
        INSERT INTO memory_recordcount (workspace_id, entity_id, layer, heads, versions)
        SELECT workspace_id, entity_id, 0, count(*), count(*) FROM fresh GROUP BY workspace_id, entity_id;
    ELSE
        INSERT INTO memory_recordcount (workspace_id, entity_id, layer, heads, versions)
        SELECT workspace_id, entity_id, 0, -count(*), -count(*) FROM stale GROUP BY workspace_id, entity_id;
    END IF;
    RETURN NULL;
END $$;
CREATE TRIGGER message_is_counted AFTER INSERT ON memory_message
    REFERENCING NEW TABLE AS fresh FOR EACH STATEMENT EXECUTE FUNCTION memory_count_messages();
CREATE TRIGGER message_is_counted_off AFTER DELETE ON memory_message
    REFERENCING OLD TABLE AS stale FOR EACH STATEMENT EXECUTE FUNCTION memory_count_messages();

-- Only a live atom is a head. Most updates of atoms mark them as read and change no state: these add nothing.
CREATE FUNCTION memory_count_atoms() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'INSERT' THEN
        INSERT INTO memory_recordcount (workspace_id, entity_id, layer, heads, versions)
        SELECT workspace_id, entity_id, 1, count(*) FILTER (WHERE status = 'live'), count(*)
        FROM fresh GROUP BY workspace_id, entity_id;
    ELSIF TG_OP = 'UPDATE' THEN
        INSERT INTO memory_recordcount (workspace_id, entity_id, layer, heads, versions)
        SELECT later.workspace_id, later.entity_id, 1,
               count(*) FILTER (WHERE later.status = 'live') - count(*) FILTER (WHERE earlier.status = 'live'), 0
        FROM fresh later JOIN stale earlier USING (id)
        WHERE (later.status = 'live') <> (earlier.status = 'live')
        GROUP BY later.workspace_id, later.entity_id;
    ELSE
        INSERT INTO memory_recordcount (workspace_id, entity_id, layer, heads, versions)
        SELECT workspace_id, entity_id, 1, -count(*) FILTER (WHERE status = 'live'), -count(*)
        FROM stale GROUP BY workspace_id, entity_id;
    END IF;
    RETURN NULL;
END $$;
CREATE TRIGGER atom_is_counted AFTER INSERT ON memory_atom
    REFERENCING NEW TABLE AS fresh FOR EACH STATEMENT EXECUTE FUNCTION memory_count_atoms();
CREATE TRIGGER atom_is_counted_anew AFTER UPDATE ON memory_atom
    REFERENCING NEW TABLE AS fresh OLD TABLE AS stale FOR EACH STATEMENT EXECUTE FUNCTION memory_count_atoms();
CREATE TRIGGER atom_is_counted_off AFTER DELETE ON memory_atom
    REFERENCING OLD TABLE AS stale FOR EACH STATEMENT EXECUTE FUNCTION memory_count_atoms();

-- What was there before. The triggers above hold writers off until this is done.
INSERT INTO memory_recordcount (workspace_id, entity_id, layer, heads, versions)
SELECT workspace_id, entity_id, 0, count(*), count(*) FROM memory_message GROUP BY workspace_id, entity_id
UNION ALL
SELECT workspace_id, entity_id, 1, count(*) FILTER (WHERE status = 'live'), count(*)
FROM memory_atom GROUP BY workspace_id, entity_id;
