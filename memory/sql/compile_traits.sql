-- The live traits of an entity, one wording each.
SELECT trait.id, trait.slot, version.text
FROM memory_trait trait
CROSS JOIN LATERAL (
    SELECT text FROM memory_traitversion WHERE trait_id = trait.id AND is_head LIMIT 1
) version
WHERE trait.workspace_id = %(workspace)s AND trait.entity_id = %(entity)s AND trait.status = 'live'
ORDER BY trait.slot
