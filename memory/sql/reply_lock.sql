-- Until this transaction ends nobody else writes under the same name; false when somebody does already.
SELECT pg_try_advisory_xact_lock(%(lock)s)
