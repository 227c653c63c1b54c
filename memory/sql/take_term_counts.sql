-- Fewer units hold these terms; a term of none is forgotten.
WITH fewer AS (
    UPDATE memory_termcount counted SET units = greatest(0, counted.units - gone.units)
    FROM unnest(%(terms)s::bigint[], %(units)s::integer[]) AS gone (term, units)
    WHERE counted.workspace_id = %(workspace)s AND counted.entity_id = %(entity)s AND counted.term = gone.term
    RETURNING counted.id, counted.units
)
SELECT count(*) FROM fewer
