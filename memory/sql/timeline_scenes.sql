-- Versions of scenes of a page, with their lines in order: section, text and what the line cites, and when the latest of
-- the atoms under them was said. A line stands in many versions; its receipts are read once.
WITH version AS MATERIALIZED (
    SELECT version.id, version.seq, version.number, version.title, version.summary, version.is_head, version.created_at,
           scene.slug, scene.heat, scene.slot, scene.status
    FROM memory_sceneversion version
    JOIN memory_scene scene ON scene.workspace_id = %(workspace)s AND scene.id = version.scene_id
    WHERE version.workspace_id = %(workspace)s AND version.entity_id = %(entity)s AND version.id = ANY(%(rows)s::uuid[])
),
place AS MATERIALIZED (
    SELECT version.id AS version_id, found.line_id, found.position
    FROM version
    CROSS JOIN LATERAL (
        SELECT line_id, position FROM memory_versionline WHERE version_id = version.id OFFSET 0
    ) found
),
line AS MATERIALIZED (
    SELECT line.id, line.section, line.text, receipts.citations, receipts.said_at
    FROM (SELECT DISTINCT line_id FROM place) wanted
    CROSS JOIN LATERAL (SELECT id, section, text FROM memory_line WHERE id = wanted.line_id LIMIT 1) line
    CROSS JOIN LATERAL (
        SELECT json_agg(coalesce(receipt.atom_id, receipt.correction_id) ORDER BY receipt.id) AS citations,
               max(atom.occurred_at) AS said_at
        FROM (
            SELECT id, atom_id, correction_id FROM memory_evidence WHERE of_line_id = line.id OFFSET 0
        ) receipt
        LEFT JOIN LATERAL (SELECT occurred_at FROM memory_atom WHERE id = receipt.atom_id LIMIT 1) atom ON true
    ) receipts
)
SELECT version.id, version.seq, version.slug, version.is_head, version.status, version.created_at::text,
       version.title, version.summary, version.number, version.heat, version.slot, written.said_at::text, written.lines
FROM version
LEFT JOIN (
    SELECT place.version_id, max(line.said_at) AS said_at,
           json_agg(json_build_array(line.section, line.text, line.citations) ORDER BY place.position)::text AS lines
    FROM place
    JOIN line ON line.id = place.line_id
    GROUP BY place.version_id
) written ON written.version_id = version.id
