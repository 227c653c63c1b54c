-- What results show of live traits.
SELECT trait.id, version.text, trait.slot
FROM memory_trait trait
CROSS JOIN LATERAL (
    SELECT text FROM memory_traitversion WHERE trait_id = trait.id AND is_head LIMIT 1
) version
WHERE trait.workspace_id = %(workspace)s AND trait.entity_id = %(entity)s AND trait.status = 'live'
  AND trait.id = ANY(%(traits)s::uuid[])
