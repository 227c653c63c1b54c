-- Events after a place, in the order of their transactions and numbers, of transactions older than every open one:
-- whatever commits later comes behind them. Rebuilds leave none.
SELECT event.transaction::text, event.id, event.workspace_id, event.entity_id, entity.name, event.event, event.ids,
       event.created_at
FROM memory_outbox event
LEFT JOIN memory_entity entity ON entity.id = event.entity_id
WHERE (event.transaction, event.id) > (%(transaction)s::xid8, %(id)s)
  AND event.transaction < pg_snapshot_xmin(pg_current_snapshot())
ORDER BY event.transaction, event.id
LIMIT %(rows)s
