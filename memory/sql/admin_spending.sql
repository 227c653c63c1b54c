-- Runs, failures, tokens and cost by day (UTC) and step, of a workspace or one of its entities: the newest runs
-- since an instant, so many at most. The last column counts the runs whose model has a price.
SELECT day, step, count(*), count(*) FILTER (WHERE status = 'failed'),
    sum(tokens_in), sum(tokens_out), coalesce(sum(cost), 0), count(cost)
FROM (
    SELECT (started_at AT TIME ZONE 'UTC')::date AS day, step, status, tokens_in, tokens_out, cost
    FROM memory_run
    WHERE workspace_id = %(workspace)s AND started_at >= %(since)s
        AND (%(entity)s::uuid IS NULL OR entity_id = %(entity)s::uuid)
    ORDER BY started_at DESC
    LIMIT %(most)s
) newest
GROUP BY day, step
ORDER BY day, step
