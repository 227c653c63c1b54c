-- Events beyond the days of their workspace, at most so many; from the oldest on, as they were numbered. Those of
-- transactions that this server has not had came with a backup: in the order of streams they would stand wrong.
DELETE FROM memory_outbox WHERE id IN (
    SELECT event.id FROM memory_outbox event
    JOIN memory_workspace workspace ON workspace.id = event.workspace_id
    WHERE (event.created_at < now() - workspace.event_days * interval '1 day'
           OR event.transaction >= pg_snapshot_xmax(pg_current_snapshot()))
      AND (%(workspace)s::uuid IS NULL OR workspace.id = %(workspace)s::uuid)
    ORDER BY event.id LIMIT %(rows)s
)
