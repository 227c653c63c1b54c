"""Taking an export in: all of it in one transaction, or nothing."""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import IO, Any
from uuid import UUID

from django.db import DataError, IntegrityError, models
from psycopg.types.json import Jsonb
from pydantic import BaseModel

from memory import queries
from memory.cascade.work import INPUTS, ensure_work, mark_due
from memory.indexing.wakeups import wake_index_on_commit
from memory.ingest.entities import refuse_details, refuse_name
from memory.ingest.problems import IngestError
from memory.ingest.tombstones import Kind as Known
from memory.ingest.tombstones import buried, claim_value
from memory.models import Entity, Message, SkillInput, Step, Workspace
from memory.stewardship.erasing.removing import outside_claims
from memory.stewardship.exporting.kinds import KINDS, SEQUENCE, SEQUENCED, Kind
from memory.stewardship.exporting.reading import ExportFile, UnreadableExportError
from memory.transactions import durable_transaction

ROWS_AT_ONCE = 1_000
BATCH_BYTES = 8 * 1024 * 1024
NUMBERS_AT_ONCE = 10_000
ERASED_HERE = "was erased here; only an export made after that can be imported"


@dataclass(frozen=True, slots=True)
class Imported:
    """What an import made."""

    entity: Entity
    counts: Mapping[str, int]
    """Rows by kind."""


def import_entity(*, workspace: Workspace, source: IO[bytes], name: str | None = None) -> Imported:
    """Make a new entity out of an export, under another name when one is given.

    Ids and times stay; record numbers are new ones in the same order. Search units and the graph follow, made
    by the steps that always make them. Raises UnreadableExportError for a file that is damaged, cut off or of
    an unknown version, and where its rows or its name are here already; then nothing has been stored.
    """
    try:
        with durable_transaction():
            return _Import(workspace, ExportFile(source)).run(name)
    except (IntegrityError, DataError) as error:
        raise UnreadableExportError(f"the database refuses the rows of the file: {_reason(error)}") from error


def _reason(error: Exception) -> str:
    """The name of what was broken; the server's own words would repeat what the row holds."""
    diagnostic = getattr(error.__cause__, "diag", None)
    return getattr(diagnostic, "constraint_name", None) or type(error).__name__


class _Import:
    """One import under way."""

    def __init__(self, workspace: Workspace, file: ExportFile) -> None:
        self._workspace = workspace
        self._file = file
        self._numbers = _new_numbers(sum(file.manifest.counts[kind.name] for kind in SEQUENCED))
        self._owner: dict[str, Any] = {}
        self._names: set[str] = set()
        """The entity's, here and where it comes from."""

    def run(self, name: str | None) -> Imported:
        """Read the file from its second line to its end."""
        entity_kind, *others = KINDS
        entity = self._entity(entity_kind, name)
        self._owner = {"workspace_id": self._workspace.pk, "entity_id": entity.pk}
        for kind in others:
            self._take(kind)
        self._file.end()
        self._refuse_buried_claims(entity)
        _have_it_followed(entity)
        return Imported(entity, self._file.manifest.counts)

    def _entity(self, kind: Kind, name: str | None) -> Entity:
        rows = [_values(kind, row) for row in self._file.rows(kind)]
        if len(rows) != 1:
            raise self._file.refused(f"the file holds {len(rows)} entities; it has to be one")
        entity = Entity(**{**rows[0], "workspace": self._workspace, "name": name or rows[0]["name"]})
        self._names = {entity.name, rows[0]["name"]}
        self._refuse_taken(entity)
        entity.save(force_insert=True)
        ensure_work(entity)
        return entity

    def _refuse_taken(self, entity: Entity) -> None:
        """An import makes a new entity; it mixes nothing into one that is there."""
        try:
            refuse_name(entity.name)
            refuse_details(entity)
        except IngestError as error:
            raise self._file.refused(error.summary()) from error
        there = Entity.objects.for_workspace(self._workspace.pk)
        if there.filter(name=entity.name).exists():
            raise self._file.refused(
                f"the workspace has an entity {entity.name} already; another name can be given"
            )
        owner = {"group_id": entity.group_id, "user_id": entity.user_id}
        if any(owner.values()) and there.filter(**owner).exists():
            raise self._file.refused("the workspace has an entity of this group and user already")
        self._refuse_known(Entity, [entity.pk])

    def _take(self, kind: Kind) -> None:
        if kind.model is SkillInput:
            # Triggers queued every trace and feedback as new; the file says what became of each.
            SkillInput.objects.filter(**self._owner).delete()
        filled = {**kind.defaults(), **self._owner}
        columns = [*kind.names, *filled]
        for batch in self._batches(kind):
            if "id" in kind.names:
                self._refuse_known(kind.model, [row["id"] for row in batch])
            if kind.model is Message:
                self._refuse_buried(batch)
            rows = ([*row.values(), *filled.values()] for row in batch)
            queries.copy_in(kind.model._meta.db_table, columns, rows)

    def _batches(self, kind: Kind) -> Iterator[list[dict[str, Any]]]:
        """Rows to be written at once: a few when they are long."""
        batch: list[dict[str, Any]] = []
        begun_at = self._file.bytes_read
        for row in self._file.rows(kind):
            batch.append(self._numbered(kind, _values(kind, row)))
            if len(batch) == ROWS_AT_ONCE or self._file.bytes_read - begun_at > BATCH_BYTES:
                yield batch
                batch, begun_at = [], self._file.bytes_read
        if batch:
            yield batch

    def _numbered(self, kind: Kind, values: dict[str, Any]) -> dict[str, Any]:
        """A row with its new record number, where it has one."""
        if kind.is_sequenced:
            if values[SEQUENCE] >= len(self._numbers):
                raise self._file.refused("the record number lies behind the last one")
            values[SEQUENCE] = self._numbers[values[SEQUENCE]]
        return values

    def _refuse_known(self, model: type[models.Model], ids: Sequence[UUID]) -> None:
        """Ids, of the lines read last, must be free in the whole installation."""
        known = set(model._base_manager.filter(pk__in=ids).values_list("pk", flat=True))
        for place, row_id in enumerate(reversed(ids)):
            if row_id in known:
                raise self._file.refused(
                    f"{model._meta.verbose_name} {row_id} is in this installation already; an entity can be "
                    "imported only where its rows are not",
                    before=place,
                )

    def _refuse_buried(self, messages: Sequence[Mapping[str, Any]]) -> None:
        """What was erased here does not come back in an older export, under whatever name."""
        known_by = {place: _known_by(message) for place, message in enumerate(reversed(messages))}
        for name in self._names:
            found = buried(Entity(workspace=self._workspace, name=name), known_by)
            if found:
                raise self._file.refused(
                    f"this message {ERASED_HERE}",
                    before=max(found),
                )

    def _refuse_buried_claims(self, entity: Entity) -> None:
        """Nor do claims of other memories that were erased here."""
        claims = outside_claims(entity).iterator(ROWS_AT_ONCE)
        while part := list(islice(claims, ROWS_AT_ONCE)):
            known_by: dict[int, list[tuple[Known, bytes]]] = {
                place: [("claim", claim_value(claim))] for place, claim in enumerate(part)
            }
            for name in self._names:
                if buried(Entity(workspace=self._workspace, name=name), known_by):
                    raise UnreadableExportError(f"the file holds a claim that {ERASED_HERE}")


def _known_by(message: Mapping[str, Any]) -> list[tuple[Known, bytes]]:
    """A message goes by its key; without one, by what it says."""
    key = message["dedupe_key"]
    return [("content", message["content_hash"]) if key is None else ("key", key.encode())]


def _new_numbers(count: int) -> array[int]:
    """Fresh record numbers, ascending."""
    numbers = array("q")
    while len(numbers) < count:
        wanted = min(NUMBERS_AT_ONCE, count - len(numbers))
        numbers.extend(number for (number,) in queries.rows("record_numbers", count=wanted))
    return numbers


def _values(kind: Kind, row: BaseModel) -> dict[str, Any]:
    """A validated line as the columns of a row, in the order of the kind's fields."""
    return {field.attname: _stored(field, getattr(row, field.attname)) for field in kind.fields}


def _stored(field: models.Field[Any, Any], value: Any) -> Any:
    """A value as the driver writes it."""
    if value is None:
        return None
    if isinstance(field, models.BinaryField):
        return bytes.fromhex(value)
    return Jsonb(value) if isinstance(field, models.JSONField) else value


def _have_it_followed(entity: Entity) -> None:
    """Wake the steps for which something waits, as it did where the file comes from; and the index."""
    for step in Step:
        is_waiting = INPUTS[step].objects.for_entity(entity).pending().exists()
        if is_waiting and step not in entity.paused_steps:
            mark_due(workspace_id=entity.workspace_id, entity_id=entity.pk, step=step)
    wake_index_on_commit(workspace_id=entity.workspace_id, entity_id=entity.pk)
