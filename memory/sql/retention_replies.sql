-- Replies to writes that bore an Idempotency-Key, a day after they came, at most so many; from the oldest on.
DELETE FROM memory_idempotentreply WHERE id IN (
    SELECT id FROM memory_idempotentreply
    WHERE created_at < now() - interval '1 day'
      AND (%(workspace)s::uuid IS NULL OR workspace_id = %(workspace)s::uuid)
    ORDER BY id LIMIT %(rows)s
)
