-- Remove the search units of some rows; what is counted of terms and layers goes down with them.
WITH gone AS (
    DELETE FROM memory_searchunit unit
    WHERE unit.workspace_id = %(workspace)s AND unit.entity_id = %(entity)s
      AND (unit.layer = 0 AND unit.message_id = ANY(%(messages)s::uuid[])
           OR unit.layer = 1 AND unit.atom_id = ANY(%(atoms)s::uuid[])
           OR unit.layer = 2 AND unit.scene_id = ANY(%(scenes)s::uuid[])
           OR unit.layer = 3 AND unit.trait_id = ANY(%(traits)s::uuid[]))
    RETURNING unit.layer, unit.length, unit.terms
), fewer_terms AS (
    UPDATE memory_termcount counted SET units = greatest(0, counted.units - lost.units)
    FROM (SELECT term, count(*) AS units FROM gone CROSS JOIN unnest(gone.terms) AS term GROUP BY term) lost
    WHERE counted.workspace_id = %(workspace)s AND counted.entity_id = %(entity)s AND counted.term = lost.term
), fewer_units AS (
    UPDATE memory_layercount counted
    SET units = greatest(0, counted.units - lost.units), length = greatest(0, counted.length - lost.length)
    FROM (SELECT layer, count(*) AS units, sum(length) AS length FROM gone GROUP BY layer) lost
    WHERE counted.workspace_id = %(workspace)s AND counted.entity_id = %(entity)s AND counted.layer = lost.layer
)
SELECT count(*) FROM gone
