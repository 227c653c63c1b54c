"""Writing an export: one consistent moment, one row after the other, no writer kept waiting."""

from __future__ import annotations

import hashlib
from array import array
from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass
from io import SEEK_END
from tempfile import TemporaryFile
from types import TracebackType
from typing import IO, Any, Self

from django.db import transaction

from memory import queries
from memory.models import Entity
from memory.stewardship.exporting.kinds import KINDS, SEQUENCE, SEQUENCED, Kind
from memory.stewardship.exporting.lines import MARK, KindCount, Manifest, as_line

ROWS_AT_ONCE = 1_000
CHUNK_BYTES = 256 * 1024


@dataclass(frozen=True, slots=True)
class Export:
    """A whole export, ready to be read. Its rows lie in a file without a name, gone when it is closed."""

    manifest: Manifest
    body: IO[bytes]

    @property
    def size(self) -> int:
        """Of the file, in bytes."""
        return len(self.manifest.line()) + self.body.seek(0, SEEK_END)

    def chunks(self) -> Iterator[bytes]:
        """The file from its first byte, in pieces."""
        yield self.manifest.line()
        self.body.seek(0)
        while chunk := self.body.read(CHUNK_BYTES):
            yield chunk

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.body.close()


def open_export(*, entity: Entity) -> Export:
    """Read the memory of an entity as it stands at one moment; the caller closes what it gets.

    The transaction ends here, however slowly the result is read. Raises Entity.DoesNotExist when the entity
    has gone meanwhile.
    """
    body = TemporaryFile()  # noqa: SIM115  # the caller closes it
    try:
        with transaction.atomic(durable=True):
            queries.run("export_snapshot")
            manifest = _write(Entity.objects.visible().get(pk=entity.pk), body)
    except BaseException:
        body.close()
        raise
    return Export(manifest, body)


def _write(entity: Entity, body: IO[bytes]) -> Manifest:
    places = _places(entity)
    whole = hashlib.sha256()
    counts = []
    for kind in KINDS:
        digest, count = hashlib.sha256(), 0
        for line in _lines(kind, entity, places):
            body.write(line)
            digest.update(line)
            whole.update(line)
            count += 1
        counts.append(KindCount(kind=kind.name, rows=count, sha256=digest.hexdigest()))
    return Manifest(kinds=tuple(counts), sha256=whole.hexdigest())


def _places(entity: Entity) -> array[int]:
    """The entity's record numbers, ascending: a row's place among them means the same everywhere."""
    first, *others = (kind.rows(entity).order_by().values_list(SEQUENCE, flat=True) for kind in SEQUENCED)
    return array("q", first.union(*others, all=True).order_by(SEQUENCE).iterator(ROWS_AT_ONCE))


def _lines(kind: Kind, entity: Entity, places: array[int]) -> Iterator[bytes]:
    for row in kind.rows(entity).values_list(*kind.columns()).iterator(ROWS_AT_ONCE):
        values: dict[str, Any] = {MARK: kind.name, **dict(zip(kind.names, row, strict=True))}
        if kind.is_sequenced:
            values[SEQUENCE] = bisect_left(places, values[SEQUENCE])
        yield as_line(values)
