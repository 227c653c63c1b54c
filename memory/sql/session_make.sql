-- Sessions of an entity by their names, in that order, those left alone that are there.
INSERT INTO memory_session (id, workspace_id, entity_id, external_id, title, next_ordinal, takes_turns, folded_until)
SELECT made.id, %(workspace)s, %(entity)s, made.name, '', 0, false, 0
FROM unnest(%(ids)s::uuid[], %(names)s::text[]) WITH ORDINALITY AS made (id, name, place)
ORDER BY made.place
ON CONFLICT DO NOTHING
RETURNING id
