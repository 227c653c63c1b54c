-- Events beyond the days of their workspace, at most so many; from the oldest on, as they were numbered.
DELETE FROM memory_outbox WHERE id IN (
    SELECT event.id FROM memory_outbox event
    JOIN memory_workspace workspace ON workspace.id = event.workspace_id
    WHERE event.created_at < now() - workspace.event_days * interval '1 day'
      AND (%(workspace)s::uuid IS NULL OR workspace.id = %(workspace)s::uuid)
    ORDER BY event.id LIMIT %(rows)s
)
