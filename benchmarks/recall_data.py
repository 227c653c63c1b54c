"""An entity of any size in seconds: what ingest, cascade and index step would have written, by COPY.

Every atom cites a message of its own, and both have their units and vectors. Constraints and triggers are set
aside while rows are copied, so the copying needs a superuser, which the embedded server has.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any, LiteralString
from uuid import UUID

from benchmarks.recall_others import copy_atoms
from benchmarks.recall_words import Terms, Words

if TYPE_CHECKING:
    import numpy as np
    import psycopg
    from numpy.typing import NDArray

    from memory.models import EmbeddingSpace, Entity

BATCH = 10_000
TURNS_OF_A_SESSION = 50
ATOM_WORDS = (8, 16)
MESSAGE_WORDS = (10, 30)
BEGAN_AT = datetime(2025, 1, 1, 9, tzinfo=UTC)
TURN_INTERVAL = timedelta(minutes=3)
TOPICS = 300
DATED = 4
"""One atom in so many says on which day something happened."""
STEP = 7_919
"""A prime: neighbours get topics and days that lie apart."""
DAYS = 700
COPY_HEADER = b"PGCOPY\n\xff\r\n\x00" + bytes(8)
COPY_END = b"\xff\xff"
TABLES = ("session", "message", "chain", "atom", "evidence", "searchunit")
COLUMNS = {
    "session": (
        *("id", "workspace_id", "entity_id", "external_id", "title", "next_ordinal", "takes_turns"),
        "folded_until",
    ),
    "message": (
        *("id", "workspace_id", "entity_id", "session_id", "seq", "ordinal", "role", "speaker", "text"),
        *("attachment_text", "tool_name", "tool_calls", "tool_call_id", "metadata", "occurred_at"),
        *("content_hash", "is_extractable", "consumed_by_id"),
    ),
    "chain": ("id", "workspace_id", "entity_id"),
    "atom": (
        *("id", "workspace_id", "entity_id", "chain_id", "seq", "text", "kind", "priority", "topic"),
        *("subject", "scope", "authority", "status", "decision", "merge_reason", "occurred_at", "terms"),
        *("subject_kind", "subject_id", "predicate", "live_source", "happened_from", "consumed_by_id"),
    ),
    "evidence": ("workspace_id", "entity_id", "of_atom_id", "message_id", "role"),
    "searchunit": (
        *("id", "workspace_id", "entity_id", "layer", "message_id", "atom_id", "section", "session_id"),
        *(
            "position",
            "speaker",
            "is_question",
            "own_length",
            "occurred_at",
            "terms",
            "frequencies",
            "length",
        ),
    ),
}
INDEX_OF_TERMS = "CREATE INDEX search_unit_terms ON memory_searchunit USING gin (terms) WITH (fastupdate=off)"

COUNTS_OF_RECORDS = """
    DELETE FROM memory_recordcount;
    INSERT INTO memory_recordcount (workspace_id, entity_id, layer, heads, versions)
    SELECT workspace_id, entity_id, 0, count(*), count(*) FROM memory_message GROUP BY workspace_id, entity_id
    UNION ALL
    SELECT workspace_id, entity_id, 1, count(*) FILTER (WHERE status = 'live'), count(*)
    FROM memory_atom GROUP BY workspace_id, entity_id
"""
"""What the triggers would have written."""


@dataclass(slots=True)
class Counts:
    """What the index step would have counted."""

    terms: Counter[int] = field(default_factory=Counter)
    units: Counter[int] = field(default_factory=Counter)
    lengths: Counter[int] = field(default_factory=Counter)

    def add(self, layer: int, terms: Iterable[int], length: int) -> None:
        """Count a unit."""
        self.terms.update(terms)
        self.units[layer] += 1
        self.lengths[layer] += length


class Filler:
    """Fills entities over one superuser's connection."""

    def __init__(self, connection: psycopg.Connection, space: EmbeddingSpace, words: Words) -> None:
        self._connection = connection
        self._space = space
        self._words = words
        # Something may have been stored before.
        self._last_unit = self._number("SELECT coalesce(max(id), 0) FROM memory_searchunit")
        self._last_number = self._number("SELECT last_value FROM memory_record_number")
        connection.execute("SET session_replication_role = replica")
        connection.execute("SET maintenance_work_mem = '1GB'")

    def _number(self, statement: LiteralString) -> int:
        rows: list[tuple[int]] = self._connection.execute(statement).fetchall()
        return rows[0][0]

    def fill(self, entity: Entity, size: int) -> list[str]:
        """Give an entity `size` atoms; returns distinct queries for it."""
        counts = Counts()
        terms = Terms(entity.pk, self._words)
        queries: list[str] = []
        for start in range(0, size, BATCH):
            batch = _Batch(entity, self._words, terms, min(BATCH, size - start), start)
            self._copy_batch(batch, counts)
            queries += [self._words.query(text) for text in batch.atoms[:: max(1, len(batch.atoms) // 300)]]
        self._copy_counts(entity, counts)
        return list(dict.fromkeys(queries))

    def multiply(self, entity: Entity, others: Sequence[Entity]) -> None:
        """Give other entities the atoms of this one."""
        for salt, other in enumerate(others, start=1):
            copy_atoms(self._connection, entity, other, salt)

    def finish(self) -> None:
        """What comes after copying: sequences, counts, the index of terms, statistics."""
        self._connection.execute("SELECT setval('memory_searchunit_id_seq', max(id)) FROM memory_searchunit")
        self._connection.execute("SELECT setval('memory_record_number', max(seq)) FROM memory_atom")
        self._connection.execute(COUNTS_OF_RECORDS)
        self._connection.execute(INDEX_OF_TERMS)
        self._connection.execute("VACUUM (ANALYZE)")

    def begin(self) -> None:
        """The index of terms is made anew at the end, which is quicker than row by row."""
        self._connection.execute("DROP INDEX IF EXISTS search_unit_terms")

    def _copy_batch(self, batch: _Batch, counts: Counts) -> None:
        rows = batch.rows(self._last_unit, self._last_number, counts)
        for table in TABLES:
            self._copy(table, COLUMNS[table], rows[table])
        units = range(self._last_unit + 1, self._last_unit + 2 * len(batch.atoms) + 1)
        self._copy_vectors(batch.entity, units, self._words.vectors(batch.messages + batch.atoms))
        self._last_unit += 2 * len(batch.atoms)
        self._last_number += 2 * len(batch.atoms)

    def _copy(self, table: str, columns: Sequence[str], rows: Iterable[Sequence[Any]]) -> None:
        statement = f"COPY memory_{table} ({', '.join(columns)}) FROM STDIN"
        with self._connection.cursor() as cursor, cursor.copy(statement) as copy:
            for row in rows:
                copy.write_row(row)

    def _copy_vectors(self, entity: Entity, units: range, vectors: NDArray[np.float32]) -> None:
        """In the binary form of COPY, a whole batch at once."""
        columns = "unit_id, space_id, workspace_id, entity_id, embedding"
        statement = f"COPY memory_unitvector ({columns}) FROM STDIN (FORMAT binary)"
        with self._connection.cursor() as cursor, cursor.copy(statement) as copy:
            copy.write(COPY_HEADER)
            copy.write(_binary_vectors(entity, self._space.pk, units, vectors))
            copy.write(COPY_END)

    def _copy_counts(self, entity: Entity, counts: Counts) -> None:
        owner = (entity.workspace_id, entity.pk)
        columns = ("workspace_id", "entity_id", "term", "units")
        self._copy("termcount", columns, ((*owner, term, units) for term, units in counts.terms.items()))
        by_layer = ("workspace_id", "entity_id", "layer", "units", "length")
        layers = ((*owner, layer, units, counts.lengths[layer]) for layer, units in counts.units.items())
        self._copy("layercount", by_layer, layers)


def _binary_vectors(entity: Entity, space: int, units: range, vectors: NDArray[np.float32]) -> bytes:
    import numpy as np

    dimensions = vectors.shape[1]
    halfvec_bytes = 4 + 2 * dimensions
    fields: list[Any] = [("fields", ">i2")]
    widths: list[tuple[str, Any, int]] = [
        ("unit", ">i8", 8),
        ("space", ">i2", 2),
        ("workspace", "S16", 16),
        ("entity", "S16", 16),
    ]
    for name, kind, _ in widths:
        fields += [(f"{name}_length", ">i4"), (name, kind if kind != "S16" else "V16")]
    fields += [("embedding_length", ">i4"), ("dimensions", ">i2"), ("unused", ">i2")]
    fields += [("embedding", ">f2", (dimensions,))]
    rows = np.zeros(len(units), dtype=fields)
    rows["fields"] = 5
    for name, _, width in widths:
        rows[f"{name}_length"] = width
    rows["unit"], rows["space"] = np.array(units), space
    rows["workspace"] = np.void(entity.workspace_id.bytes)
    rows["entity"] = np.void(entity.pk.bytes)
    rows["embedding_length"], rows["dimensions"] = halfvec_bytes, dimensions
    rows["embedding"] = vectors
    return rows.tobytes()


class _Batch:
    """Messages and the atoms that cite them, one each."""

    def __init__(self, entity: Entity, words: Words, terms: Terms, size: int, start: int) -> None:
        self.entity = entity
        self.messages = words.numbers(size, least=MESSAGE_WORDS[0], most=MESSAGE_WORDS[1])
        self.atoms = words.numbers(size, least=ATOM_WORDS[0], most=ATOM_WORDS[1])
        self._words = words
        self._terms = terms
        self._start = start

    def rows(self, last_unit: int, last_number: int, counts: Counts) -> dict[str, list[tuple[Any, ...]]]:
        """The rows of every table."""
        from memory.models.base import new_id

        owner = (self.entity.workspace_id, self.entity.pk)
        found: dict[str, list[tuple[Any, ...]]] = {table: [] for table in TABLES}
        session = new_id()
        size = len(self.atoms)
        for place in range(size):
            message, chain, atom = new_id(), new_id(), new_id()
            ordinal = place % TURNS_OF_A_SESSION
            if ordinal == 0:
                session = new_id()
                name = f"session-{(self._start + place) // TURNS_OF_A_SESSION}"
                found["session"].append((session, *owner, name, "", TURNS_OF_A_SESSION, False, 0))
            said_at = BEGAN_AT + (self._start + place) * TURN_INTERVAL
            number = last_number + 2 * place
            found["message"].append(self._message(place, message, session, ordinal, number + 1, said_at))
            found["chain"].append((chain, *owner))
            found["atom"].append(self._atom(place, atom, chain, number + 2, said_at))
            found["evidence"].append((*owner, atom, message, "source"))
            units = (last_unit + 1 + place, last_unit + 1 + size + place)
            found["searchunit"] += self._units(place, units, (message, atom), session, said_at, counts)
        return found

    def _message(
        self, place: int, pk: UUID, session: UUID, ordinal: int, number: int, said_at: datetime
    ) -> tuple[Any, ...]:
        owner = (self.entity.workspace_id, self.entity.pk)
        text = self._words.written(self.messages[place])
        words = ("user", _speaker(ordinal), text, "", "", "[]", "", "{}")
        # Consumed by a run that is gone: a worker finds nothing to do here.
        return (pk, *owner, session, number, ordinal, *words, said_at, pk.bytes * 2, True, pk)

    def _atom(self, place: int, pk: UUID, chain: UUID, number: int, said_at: datetime) -> tuple[Any, ...]:
        owner = (self.entity.workspace_id, self.entity.pk)
        # Two atoms of an entity never say the same; the number tells them apart.
        text = f"{self._words.written(self.atoms[place])} {self._start + place}"
        number_of_all = (self._start + place) * STEP
        topic = f"topic {number_of_all % TOPICS}"
        day = BEGAN_AT.date() + timedelta(days=number_of_all % DAYS) if place % DATED == 0 else None
        facts = ("episodic", 50, topic, "", "", 2, "live", "store", "", said_at, "{}", "", "", "", "", day)
        return (pk, *owner, chain, number, text, *facts, pk)

    def _units(
        self,
        place: int,
        units: tuple[int, int],
        rows: tuple[UUID, UUID],
        session: UUID,
        said_at: datetime,
        counts: Counts,
    ) -> Iterator[tuple[Any, ...]]:
        owner = (self.entity.workspace_id, self.entity.pk)
        ordinal = place % TURNS_OF_A_SESSION
        before = self.messages[place - 1 : place] if ordinal else []
        said, said_length = self._terms.of_words(*before, self.messages[place])
        date, date_length = self._terms.of_text(f"{said_at:%-d %B %Y %Y-%m-%d} {_speaker(ordinal)}")
        said.update(date)
        counts.add(0, said, said_length + date_length)
        own_length = self._terms.of_words(self.messages[place])[1]
        about = (None, "", session, ordinal, _speaker(ordinal).casefold(), False, own_length, said_at)
        yield (units[0], *owner, 0, rows[0], *about, *_arrays(said), said_length + date_length)
        claimed, length = self._terms.of_words(self.atoms[place])
        counts.add(1, claimed, length)
        yield (
            *(units[1], *owner, 1, None, rows[1], "", None, 0, "", False, length, said_at),
            *(*_arrays(claimed), length),
        )


def _speaker(ordinal: int) -> str:
    return ("Alice", "Assistant")[ordinal % 2]


def _arrays(terms: Counter[int]) -> tuple[str, str]:
    """Terms in ascending order and their frequencies, as PostgreSQL writes arrays."""
    ordered = sorted(terms.items())
    return (
        f"{{{','.join(str(term) for term, _ in ordered)}}}",
        f"{{{','.join(str(count) for _, count in ordered)}}}",
    )
