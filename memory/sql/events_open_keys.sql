-- Of some keys those that still open something: whether all of their workspace, and else which entities, their own
-- and those that are shared with one of these.
SELECT key.id, NOT key.is_bound,
       ARRAY(
           SELECT bound.entity_id FROM memory_key_entities bound WHERE bound.key_id = key.id
           UNION
           SELECT share.entity_id FROM memory_share share
           JOIN memory_key_entities bound ON bound.entity_id = share.reader_id
           WHERE bound.key_id = key.id
       )
FROM memory_key key
WHERE key.id = ANY(%(keys)s::uuid[]) AND key.revoked_at IS NULL
  AND (key.expires_at IS NULL OR key.expires_at > now())
