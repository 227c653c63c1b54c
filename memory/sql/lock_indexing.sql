-- One indexer of an entity at a time, until the transaction ends.
SELECT pg_try_advisory_xact_lock(hashtextextended('memseek.index:' || %(entity)s::text, 0))
