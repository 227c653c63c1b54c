-- In how many workspaces rows have outlived their days by so many more, by kind.
SELECT
    count(*) FILTER (WHERE message_days IS NOT NULL AND EXISTS (
        SELECT 1 FROM memory_entity entity
        JOIN memory_message message ON message.entity_id = entity.id AND message.workspace_id = entity.workspace_id
        WHERE entity.workspace_id = workspace.id AND entity.shadow_of_id IS NULL
          AND coalesce(message.occurred_at, message.recorded_at)
              < now() - (message_days + %(grace_days)s) * interval '1 day'
    )),
    count(*) FILTER (WHERE EXISTS (
        SELECT 1 FROM memory_run run
        WHERE run.workspace_id = workspace.id AND run.status NOT IN ('running', 'failed')
          AND run.started_at < now() - (coalesce(run_days, %(run_days)s) + %(grace_days)s) * interval '1 day'
    )),
    count(*) FILTER (WHERE EXISTS (
        SELECT 1 FROM memory_use use
        WHERE use.workspace_id = workspace.id AND use.expires_at < now() - %(grace_days)s * interval '1 day'
    )),
    count(*) FILTER (WHERE EXISTS (
        SELECT 1 FROM (SELECT workspace_id, created_at FROM memory_outbox ORDER BY id LIMIT 1) event
        WHERE event.workspace_id = workspace.id
          AND event.created_at < now() - (event_days + %(grace_days)s) * interval '1 day'
    ))
FROM memory_workspace workspace
WHERE %(workspace)s::uuid IS NULL OR workspace.id = %(workspace)s::uuid
