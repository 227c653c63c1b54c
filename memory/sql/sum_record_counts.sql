-- The changes of an entity's counts become one row for each layer, once there are many. What is added meanwhile stays
-- beside the sums.
WITH taken AS (
    DELETE FROM memory_recordcount
    WHERE workspace_id = %(workspace)s AND entity_id = %(entity)s
      AND %(most)s < (
          SELECT count(*) FROM memory_recordcount WHERE workspace_id = %(workspace)s AND entity_id = %(entity)s
      )
    RETURNING layer, heads, versions
)
INSERT INTO memory_recordcount (workspace_id, entity_id, layer, heads, versions)
SELECT %(workspace)s, %(entity)s, layer, sum(heads), sum(versions)
FROM taken
GROUP BY layer
