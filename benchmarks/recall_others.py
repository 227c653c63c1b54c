"""Copies of an entity's atoms as those of others: a table grows to a million rows within minutes.

Units and vectors are copied as well, messages are not. The numbers of terms are changed by a salt of each
entity's own, as hashing does.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import psycopg

    from memory.models import Entity

SALT_STEP = 0x9E3779B97F4A7C1
STATEMENTS = (
    """
    CREATE TEMPORARY TABLE copied AS
    SELECT id AS old_id, chain_id AS old_chain, gen_random_uuid() AS id, gen_random_uuid() AS chain_id
    FROM memory_atom WHERE entity_id = %(from)s
    """,
    """
    INSERT INTO memory_chain (id, workspace_id, entity_id)
    SELECT copied.chain_id, workspace_id, %(to)s
    FROM memory_chain JOIN copied ON copied.old_chain = memory_chain.id
    """,
    """
    INSERT INTO memory_atom (id, workspace_id, entity_id, chain_id, text, kind, priority, topic, subject,
                             scope, authority, status, decision, merge_reason, occurred_at, terms,
                             subject_kind, subject_id, predicate, live_source, happened_from)
    SELECT copied.id, workspace_id, %(to)s, copied.chain_id, text, kind, priority, topic, subject, scope,
           authority, status, decision, merge_reason, occurred_at, terms, '', '', '', '', happened_from
    FROM memory_atom JOIN copied ON copied.old_id = memory_atom.id
    """,
    """
    CREATE TEMPORARY TABLE copied_units AS
    SELECT unit.id AS old_id, nextval('memory_searchunit_id_seq') AS id, copied.id AS atom_id
    FROM memory_searchunit unit JOIN copied ON copied.old_id = unit.atom_id
    """,
    """
    INSERT INTO memory_searchunit (id, workspace_id, entity_id, layer, atom_id, section, position, speaker,
                                   is_question, own_length, occurred_at, terms, frequencies, length)
    SELECT copied.id, workspace_id, %(to)s, layer, copied.atom_id, section, position, speaker, is_question,
           own_length, occurred_at, ARRAY(SELECT term # %(salt)s FROM unnest(terms) term), frequencies, length
    FROM memory_searchunit unit JOIN copied_units copied ON copied.old_id = unit.id
    """,
    """
    INSERT INTO memory_unitvector (unit_id, space_id, workspace_id, entity_id, embedding)
    SELECT copied.id, space_id, workspace_id, %(to)s, embedding
    FROM memory_unitvector vector JOIN copied_units copied ON copied.old_id = vector.unit_id
    """,
    "DROP TABLE copied, copied_units",
)


def copy_atoms(connection: psycopg.Connection, entity: Entity, other: Entity, salt: int) -> None:
    """Give `other` the live atoms of `entity`; `salt` is a small number of its own."""
    values = {"from": entity.pk, "to": other.pk, "salt": salt * SALT_STEP % 2**62}
    for statement in STATEMENTS:
        connection.execute(statement, values)
