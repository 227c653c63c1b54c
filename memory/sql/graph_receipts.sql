-- Evidence between what the graph shows, counted. Messages and atoms that are not among those given stand for
-- their sessions and topics; sessions and topics that are not among those given are told as one other.
-- What claims rest on messages for is nearly all that there is, so it is joined with no more than it needs:
-- with the messages and atoms of the sessions and topics that are told apart.
SELECT CASE WHEN evidence.of_atom_id = ANY (%(atoms)s::uuid[]) THEN evidence.of_atom_id END AS upper_atom,
    CASE WHEN evidence.of_atom_id = ANY (%(atoms)s::uuid[]) THEN NULL
        ELSE coalesce(claim.topic, %(other_topic)s) END AS upper_topic,
    NULL::uuid AS of_line,
    NULL::uuid AS of_trait_version,
    CASE WHEN evidence.message_id = ANY (%(messages)s::uuid[]) THEN evidence.message_id END AS lower_message,
    CASE WHEN evidence.message_id = ANY (%(messages)s::uuid[]) THEN NULL
        ELSE coalesce(said.session_id, %(other_session)s::uuid) END AS lower_session,
    NULL::uuid AS lower_atom,
    NULL::text AS lower_topic,
    NULL::uuid AS line,
    '' AS beside,
    count(*) AS receipts
FROM memory_evidence evidence
LEFT JOIN memory_atom claim
    ON claim.id = evidence.of_atom_id AND claim.topic = ANY (%(topics)s::text[])
    AND claim.workspace_id = %(workspace)s AND claim.entity_id = %(entity)s
LEFT JOIN memory_message said
    ON said.id = evidence.message_id AND said.session_id = ANY (%(sessions)s::uuid[])
    AND said.workspace_id = %(workspace)s AND said.entity_id = %(entity)s
WHERE evidence.workspace_id = %(workspace)s AND evidence.entity_id = %(entity)s
    AND evidence.of_atom_id IS NOT NULL AND evidence.message_id IS NOT NULL
    AND (%(is_whole)s OR evidence.of_atom_id = ANY (%(followed)s::uuid[]))
    AND (%(is_whole)s OR evidence.message_id = ANY (%(followed)s::uuid[]))
GROUP BY 1, 2, 5, 6
UNION ALL
SELECT CASE WHEN evidence.of_atom_id = ANY (%(atoms)s::uuid[]) THEN evidence.of_atom_id END,
    CASE WHEN evidence.of_atom_id = ANY (%(atoms)s::uuid[]) OR evidence.of_atom_id IS NULL THEN NULL
        ELSE coalesce(claim.topic, %(other_topic)s) END,
    evidence.of_line_id,
    evidence.of_trait_version_id,
    CASE WHEN evidence.message_id = ANY (%(messages)s::uuid[]) THEN evidence.message_id END,
    CASE WHEN evidence.message_id = ANY (%(messages)s::uuid[]) OR evidence.message_id IS NULL THEN NULL
        ELSE coalesce(said.session_id, %(other_session)s::uuid) END,
    CASE WHEN evidence.atom_id = ANY (%(atoms)s::uuid[]) THEN evidence.atom_id END,
    CASE WHEN evidence.atom_id = ANY (%(atoms)s::uuid[]) OR evidence.atom_id IS NULL THEN NULL
        ELSE coalesce(below.topic, %(other_topic)s) END,
    evidence.line_id,
    CASE WHEN evidence.correction_id IS NOT NULL THEN 'correction'
        WHEN evidence.outside_kind IS NOT NULL THEN 'outside' ELSE '' END,
    count(*)
FROM memory_evidence evidence
LEFT JOIN memory_atom claim
    ON claim.id = evidence.of_atom_id AND claim.topic = ANY (%(topics)s::text[])
    AND claim.workspace_id = %(workspace)s AND claim.entity_id = %(entity)s
LEFT JOIN memory_atom below
    ON below.id = evidence.atom_id AND below.topic = ANY (%(topics)s::text[])
    AND below.workspace_id = %(workspace)s AND below.entity_id = %(entity)s
LEFT JOIN memory_message said
    ON said.id = evidence.message_id AND said.session_id = ANY (%(sessions)s::uuid[])
    AND said.workspace_id = %(workspace)s AND said.entity_id = %(entity)s
WHERE evidence.workspace_id = %(workspace)s AND evidence.entity_id = %(entity)s
    AND (evidence.of_line_id = ANY (%(lines)s::uuid[])
        OR evidence.of_trait_version_id = ANY (%(traits)s::uuid[])
        OR evidence.of_atom_id IS NOT NULL AND evidence.message_id IS NULL
            AND (%(is_whole)s OR evidence.of_atom_id = ANY (%(followed)s::uuid[])))
    AND (evidence.line_id = ANY (%(lines)s::uuid[])
        OR evidence.correction_id IS NOT NULL
        OR evidence.outside_kind IS NOT NULL
        OR (evidence.message_id IS NOT NULL OR evidence.atom_id IS NOT NULL) AND %(is_whole)s
        OR evidence.message_id = ANY (%(followed)s::uuid[])
        OR evidence.atom_id = ANY (%(followed)s::uuid[]))
GROUP BY 1, 2, 3, 4, 5, 6, 7, 8, 9, 10
