"""Importing a file of conversations into a workspace; doing it again adds nothing."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from memory.cascade.work import flush
from memory.ingest.entities import ensure_entity, find_entity, refuse_name
from memory.ingest.importers.formats import READERS, detect_format
from memory.ingest.importers.records import PLACE_SHOWN, BadRow, ReadMessage
from memory.ingest.incoming import MESSAGES_PER_CALL, IncomingMessage, read_messages
from memory.ingest.messages import append_messages
from memory.ingest.problems import IngestError
from memory.models import Entity, Message, Workspace

AUTOMATIC = "auto"


@dataclass(frozen=True, slots=True)
class ImportProgress:
    """How far an import is: share of the file from 0 to 1, and messages seen."""

    fraction: float
    messages: int


@dataclass(slots=True)
class ImportReport:
    """What an import found and did. In a dry run `new` is what it would have stored."""

    is_dry_run: bool = False
    entities: list[str] = field(default_factory=list)
    conversations: int = 0
    messages: int = 0
    new: int = 0
    already_there: int = 0
    bad_rows: list[BadRow] = field(default_factory=list)


def import_file(
    *,
    workspace: Workspace,
    path: Path,
    format: str = AUTOMATIC,
    entity: str = "",
    only: str = "",
    is_dry_run: bool = False,
    progress: Callable[[ImportProgress], None] = lambda _: None,
) -> ImportReport:
    """Read a file and store its messages, a hundred at a time; bad rows are reported, never dropped silently.

    A format that names whose conversation it is (LoCoMo) makes one entity for each, named with `entity` and a
    full stop in front when that is given; `only` takes one of them. Otherwise all goes to `entity`, by
    default the name of the file without its ending. The cascade is woken once for each entity, at its end,
    so that what it makes does not depend on how fast the file is read.

    Raises UnreadableFileError when the file is in no known format, and IngestError when the name that all of
    it goes to is none; a name out of the file that is none costs its own conversation only.
    """
    reader = READERS[detect_format(path) if format == AUTOMATIC else format]
    run = _Import(workspace, is_dry_run=is_dry_run, progress=progress)
    try:
        for row in reader(path):
            if isinstance(row, BadRow):
                run.report.bad_rows.append(row)
            elif not only or row.entity == only:
                run.take(_entity_name(row, entity, path), row)
    finally:
        run.finish()
    return run.report


def _entity_name(row: ReadMessage, entity: str, path: Path) -> str:
    if not row.entity:
        return entity or path.stem
    return f"{entity}.{row.entity}" if entity else row.entity


class _Import:
    """One import: the batch that fills up and the report that grows."""

    def __init__(
        self, workspace: Workspace, *, is_dry_run: bool, progress: Callable[[ImportProgress], None]
    ) -> None:
        self.report = ImportReport(is_dry_run=is_dry_run)
        self._workspace = workspace
        self._progress = progress
        self._entity_name = ""
        self._batch: list[ReadMessage] = []
        self._sessions: set[tuple[str, object]] = set()
        self._refused: set[str] = set()

    def take(self, entity_name: str, row: ReadMessage) -> None:
        """Add a message; another entity's first one ends the entity before."""
        if entity_name in self._refused:
            return
        if entity_name != self._entity_name:
            self.finish()
            self._entity_name = ""
            if not self._is_name(entity_name, row):
                return
            self._entity_name = entity_name
            self.report.entities.append(entity_name)
        self._batch.append(row)
        if len(self._batch) == MESSAGES_PER_CALL:
            self._store_batch()

    def _is_name(self, entity_name: str, row: ReadMessage) -> bool:
        """Whether an entity can have the name; one that the file gave is noted as bad, others are raised."""
        try:
            refuse_name(entity_name)
        except IngestError as error:
            if not row.entity:
                raise
            self._refused.add(entity_name)
            said = "; ".join(problem.problem for problem in error.problems)
            self.report.bad_rows.append(BadRow(row.entity[:PLACE_SHOWN], f"as the name of an entity {said}"))
            return False
        return True

    def finish(self) -> None:
        """Store what is left and have the cascade begin with this entity."""
        if not self._entity_name:
            return
        self._store_batch()
        entity = find_entity(workspace=self._workspace, name=self._entity_name)
        if entity is not None and not self.report.is_dry_run:
            flush(entity)

    def _store_batch(self) -> None:
        rows, self._batch = self._batch, []
        if not rows:
            return
        readable = list(self._readable(rows))
        stored = self._dry_run(readable) if self.report.is_dry_run else self._store(readable)
        self._count(readable, stored)
        self._progress(ImportProgress(rows[-1].fraction, self.report.messages))

    def _readable(self, rows: Sequence[ReadMessage]) -> Iterator[tuple[ReadMessage, IncomingMessage]]:
        for row in rows:
            try:
                yield row, read_messages([row.message])[0]
            except IngestError as error:
                self._note_bad(row, error)

    def _store(self, batch: list[tuple[ReadMessage, IncomingMessage]]) -> int:
        """Append the batch without what is refused; returns how many messages were new."""
        entity = ensure_entity(workspace=self._workspace, name=self._entity_name)
        while batch:
            try:
                messages = [message for _, message in batch]
                return append_messages(entity=entity, messages=messages, wake=False).new_count
            except IngestError as error:
                self._drop_refused(batch, error)
        return 0

    def _drop_refused(self, batch: list[tuple[ReadMessage, IncomingMessage]], error: IngestError) -> None:
        refused = {problem.index for problem in error.problems}
        if None in refused:
            raise error
        for index in sorted((index for index in refused if index is not None), reverse=True):
            row, _ = batch.pop(index)
            self._note_bad(row, error, index)

    def _dry_run(self, batch: Sequence[tuple[ReadMessage, IncomingMessage]]) -> int:
        """How many of the batch are not stored yet, by their keys."""
        entity = find_entity(workspace=self._workspace, name=self._entity_name)
        keys = {message.dedupe_key for _, message in batch}
        return len(keys) - (_stored_keys(entity, keys) if entity else 0)

    def _count(self, batch: Sequence[tuple[ReadMessage, IncomingMessage]], new: int) -> None:
        found = {(self._entity_name, message.session) for _, message in batch}
        self._sessions |= found
        self.report.conversations = len(self._sessions)
        self.report.messages += len(batch)
        self.report.new += new
        self.report.already_there += len(batch) - new

    def _note_bad(self, row: ReadMessage, error: IngestError, index: int = 0) -> None:
        said = "; ".join(f"{p.field} {p.problem}" for p in error.problems if p.index == index)
        self.report.bad_rows.append(BadRow(row.place, said))


def _stored_keys(entity: Entity, keys: Iterable[str | None]) -> int:
    return Message.objects.for_entity(entity).filter(dedupe_key__in=keys).count()
