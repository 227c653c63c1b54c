-- The same for some entities, each by its own index, and for those of the workspace that are gone. Without entities it
-- is all that the workspace has at this moment: asked for before, one that is made meanwhile would be passed by.
SELECT event.transaction::text, event.id, event.workspace_id, event.entity_id, entity.name, event.event, event.ids,
       event.created_at
FROM (
    SELECT found.*
    FROM unnest(coalesce(
        %(entities)s::uuid[], ARRAY(SELECT id FROM memory_entity WHERE workspace_id = %(workspace)s)
    )) wanted (id)
    CROSS JOIN LATERAL (
        SELECT * FROM memory_outbox own
        WHERE own.entity_id = wanted.id
          AND (own.transaction, own.id) > (%(transaction)s::xid8, %(id)s)
          AND own.transaction < pg_snapshot_xmin(pg_current_snapshot())
        ORDER BY own.transaction, own.id
        LIMIT %(rows)s
    ) found
    UNION ALL
    SELECT * FROM memory_outbox gone
    WHERE gone.entity_id IS NULL AND gone.workspace_id = %(workspace)s
      AND (gone.transaction, gone.id) > (%(transaction)s::xid8, %(id)s)
      AND gone.transaction < pg_snapshot_xmin(pg_current_snapshot())
) event
LEFT JOIN memory_entity entity ON entity.id = event.entity_id
ORDER BY event.transaction, event.id
LIMIT %(rows)s
