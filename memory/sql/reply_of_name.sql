-- What was answered to a key under a name within the last day.
SELECT request, status, ids FROM memory_idempotentreply
WHERE key_id = %(key)s AND digest = %(digest)s AND created_at > now() - interval '1 day'
