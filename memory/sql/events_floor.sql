-- Below the oldest transaction that is open nothing will appear any more; from the next one on nothing has yet.
SELECT pg_snapshot_xmin(pg_current_snapshot())::text, pg_snapshot_xmax(pg_current_snapshot())::text
