-- The same lock as `lock_indexing`, waited for: its transactions are short, and none calls a model.
SELECT pg_advisory_xact_lock(hashtextextended('memseek.index:' || %(entity)s::text, 0))
