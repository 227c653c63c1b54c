-- Runs beyond the days of their workspace, at most so many. One by which something is parked says why, and stays.
DELETE FROM memory_run WHERE id IN (
    SELECT beyond.id FROM memory_workspace workspace
    CROSS JOIN LATERAL (
        SELECT run.id FROM memory_run run
        WHERE run.workspace_id = workspace.id
          AND run.started_at < now() - coalesce(workspace.run_days, %(run_days)s) * interval '1 day'
          AND run.status <> 'running'
          AND (run.status <> 'failed' OR NOT EXISTS (
              SELECT 1 FROM memory_message input WHERE input.entity_id = run.entity_id
              AND input.consumed_by_id IS NULL AND input.parked_at IS NOT NULL AND input.parked_by_id = run.id
              UNION ALL SELECT 1 FROM memory_atom input WHERE input.entity_id = run.entity_id
              AND input.consumed_by_id IS NULL AND input.parked_at IS NOT NULL AND input.parked_by_id = run.id
              UNION ALL SELECT 1 FROM memory_session input WHERE input.entity_id = run.entity_id
              AND input.consumed_by_id IS NULL AND input.parked_at IS NOT NULL AND input.parked_by_id = run.id
              UNION ALL SELECT 1 FROM memory_skillinput input WHERE input.entity_id = run.entity_id
              AND input.consumed_by_id IS NULL AND input.parked_at IS NOT NULL AND input.parked_by_id = run.id
              UNION ALL SELECT 1 FROM memory_sceneversion input WHERE input.entity_id = run.entity_id
              AND input.consumed_by_id IS NULL AND input.parked_at IS NOT NULL AND input.parked_by_id = run.id
              UNION ALL SELECT 1 FROM memory_unpromoted input WHERE input.entity_id = run.entity_id
              AND input.consumed_by_id IS NULL AND input.parked_at IS NOT NULL AND input.parked_by_id = run.id
          ))
        ORDER BY run.started_at LIMIT %(rows)s
    ) beyond
    WHERE %(workspace)s::uuid IS NULL OR workspace.id = %(workspace)s::uuid
    LIMIT %(rows)s
)
