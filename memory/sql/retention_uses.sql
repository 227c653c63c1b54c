-- Uses that have expired, at most so many. What was said of one outlives it.
WITH beyond AS (
    SELECT expired.id FROM memory_workspace workspace
    CROSS JOIN LATERAL (
        SELECT id FROM memory_use
        WHERE workspace_id = workspace.id AND expires_at <= now()
        ORDER BY expires_at LIMIT %(rows)s
    ) expired
    WHERE %(workspace)s::uuid IS NULL OR workspace.id = %(workspace)s::uuid
    LIMIT %(rows)s
), parted AS (
    UPDATE memory_feedback SET use_id = NULL WHERE use_id IN (SELECT id FROM beyond)
)
DELETE FROM memory_use WHERE id IN (SELECT id FROM beyond)
