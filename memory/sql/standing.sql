-- What an entity's context holds whatever is asked, of every kind in its order: the live traits; the standing rules
-- at or above a floor; the live scenes with the lines of their heads, those that wait to be rewritten apart (`due`);
-- the reviewed procedures; the languages of its words. Lines, the live atoms under them (`told`) and the messages
-- that these atoms and the rules cite (`cites`) only with `with_lines`. Each step of a scene is a look-up by key for
-- the rows of the one before; a receipt that names no atom finds none. To ask within that it names one would let the
-- server walk the index of all that do, for every line anew.
WITH head AS MATERIALIZED (
    SELECT scene.id AS scene_id, scene.slot, version.id, version.title, version.summary, version.number,
           version.created_at
    FROM memory_scene scene
    CROSS JOIN LATERAL (
        SELECT id, title, summary, number, created_at
        FROM memory_sceneversion WHERE scene_id = scene.id AND is_head LIMIT 1
    ) version
    WHERE scene.workspace_id = %(workspace)s AND scene.entity_id = %(entity)s AND scene.status = 'live'
),
line AS MATERIALIZED (
    SELECT line.id, head.scene_id, line.section, line.text, line.is_pinned,
           row_number() OVER (ORDER BY head.slot, place.position) AS place,
           NOT line.is_pinned AND line.section <> 'evolution_record' AND EXISTS (
               SELECT 1
               FROM (
                   SELECT atom_id FROM memory_evidence WHERE of_line_id = line.id OFFSET 0
               ) receipt
               CROSS JOIN LATERAL (SELECT status FROM memory_atom WHERE id = receipt.atom_id LIMIT 1) atom
               WHERE atom.status <> 'live'
           ) AS is_due
    FROM head
    CROSS JOIN LATERAL (
        SELECT line_id, position FROM memory_versionline WHERE version_id = head.id OFFSET 0
    ) place
    CROSS JOIN LATERAL (
        SELECT id, section, text, is_pinned FROM memory_line WHERE id = place.line_id AND erased_at IS NULL LIMIT 1
    ) line
),
rule AS MATERIALIZED (
    SELECT id, scope, text, priority, authority, row_number() OVER (ORDER BY priority DESC, seq) AS place
    FROM memory_atom
    WHERE workspace_id = %(workspace)s AND entity_id = %(entity)s AND status = 'live' AND kind = 'instruction'
      AND priority >= %(floor)s AND (valid_until IS NULL OR valid_until > now())
),
told AS MATERIALIZED (
    SELECT atom.id, line.id AS line_id, atom.text, receipt.id AS place
    FROM line
    CROSS JOIN LATERAL (
        SELECT id, atom_id FROM memory_evidence WHERE of_line_id = line.id OFFSET 0
    ) receipt
    CROSS JOIN LATERAL (SELECT id, text, status FROM memory_atom WHERE id = receipt.atom_id LIMIT 1) atom
    WHERE %(with_lines)s AND NOT line.is_due AND atom.status = 'live'
),
found (sort, place, id, parent, name, text, more, number, total, is_marked, at, who) AS (
    SELECT 'trait', 0, trait.id, NULL::uuid, trait.slot::text, version.text::text, '', 0, 0, false,
           NULL::timestamptz, ''
    FROM memory_trait trait
    CROSS JOIN LATERAL (
        SELECT text FROM memory_traitversion WHERE trait_id = trait.id AND is_head LIMIT 1
    ) version
    WHERE trait.workspace_id = %(workspace)s AND trait.entity_id = %(entity)s AND trait.status = 'live'
    UNION ALL
    SELECT 'rule', place, id, NULL, scope, text, '', priority, authority, false, NULL, '' FROM rule
    UNION ALL
    SELECT 'scene', slot, scene_id, id, title, summary, '', number, slot, false, created_at, '' FROM head
    UNION ALL
    SELECT 'due', 0, NULL, scene_id, '', '', '', count(*), 0, false, NULL, '' FROM line WHERE is_due GROUP BY scene_id
    UNION ALL
    SELECT 'line', place, id, scene_id, section, text, '', 0, 0, is_pinned, NULL, ''
    FROM line WHERE %(with_lines)s AND NOT is_due
    UNION ALL
    SELECT 'told', place, id, line_id, '', text, '', 0, 0, false, NULL, '' FROM told
    UNION ALL
    SELECT 'cites', receipt.id, receipt.message_id, receipt.of_atom_id, '', '', '', 0, 0, false, NULL, ''
    FROM (SELECT id FROM rule WHERE %(with_lines)s UNION SELECT id FROM told) atom
    CROSS JOIN LATERAL (
        SELECT id, of_atom_id, message_id FROM memory_evidence
        WHERE of_atom_id = atom.id OFFSET 0
    ) receipt
    WHERE receipt.message_id IS NOT NULL
    UNION ALL
    SELECT 'procedure', row_number() OVER (), procedure.id, procedure_id, slug, title, boundary, number, total, false,
           created_at, json_build_array(reviewer, lines)::text
    FROM ({procedures}) procedure
    UNION ALL
    SELECT 'languages', 0, NULL, NULL, '', to_json(languages)::text, '', 0, 0, false, NULL, ''
    FROM memory_languagesample WHERE workspace_id = %(workspace)s AND entity_id = %(entity)s
)
SELECT * FROM found ORDER BY sort, place, name
