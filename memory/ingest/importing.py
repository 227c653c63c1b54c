"""Importing what other programs keep into a workspace; doing it again adds nothing."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from django.db import reset_queries

from memory.cascade.work import flush
from memory.ingest.entities import find_entity, refuse_name, refuse_zone
from memory.ingest.import_batches import Target, give_titles, take_claims, take_messages
from memory.ingest.import_report import ImportReport
from memory.ingest.importers.formats import READERS, detect_format
from memory.ingest.importers.long_texts import in_parts
from memory.ingest.importers.records import PLACE_SHOWN, BadRow, Found, LeftOut, ReadClaim, ReadMessage
from memory.ingest.incoming import MESSAGES_PER_CALL
from memory.ingest.problems import IngestError
from memory.models import Workspace

AUTOMATIC = "auto"

Row = ReadMessage | ReadClaim


@dataclass(frozen=True, slots=True)
class ImportProgress:
    """How far an import is: share of the file from 0 to 1, and messages seen."""

    fraction: float
    messages: int


@dataclass(frozen=True, slots=True)
class Wishes:
    """How a file is to be taken in.

    `speaker` names the person whose words a file gives to nobody but the role of a user. `time_zone` is the
    one of an entity that this import makes; one that is there keeps its own.
    """

    format: str = AUTOMATIC
    entity: str = ""
    only: str = ""
    speaker: str = ""
    time_zone: str = ""
    is_dry_run: bool = False


def import_file(
    *,
    workspace: Workspace,
    path: Path,
    format: str = AUTOMATIC,
    entity: str = "",
    only: str = "",
    speaker: str = "",
    time_zone: str = "",
    is_dry_run: bool = False,
    progress: Callable[[ImportProgress], None] = lambda _: None,
) -> ImportReport:
    """Read a file and store its messages, a hundred at a time; bad rows are reported, never dropped silently.

    A format that names whose conversation it is (LoCoMo) makes one entity for each, named with `entity` and a
    full stop in front when that is given; so does mem0 for each user, unless `entity` takes them all. `only`
    takes one of them. Otherwise all goes to `entity`, by default the name of the file without its ending.
    Times without a zone are read in the entity's. The cascade is woken once for each entity, at its end, so
    that what it makes does not depend on how fast the file is read.

    Raises UnreadableFileError when the file is in no known format, and IngestError when the name that all of
    it goes to is none; a name out of the file that is none costs its own conversation only.
    """
    refuse_zone(time_zone or "UTC")
    chosen = detect_format(path) if format == AUTOMATIC else format
    wishes = Wishes(chosen, entity, only, speaker, time_zone, is_dry_run)
    run = _Import(workspace, wishes, progress)
    try:
        for found in READERS[chosen](path):
            run.see(found, path)
    finally:
        run.finish()
    return run.report


def _entity_name(row: Row, entity: str, path: Path) -> str:
    """Whose memory a row is for. The users of another memory are told apart only while nobody names one."""
    if not row.entity or (entity and isinstance(row, ReadClaim)):
        return entity or path.stem
    return f"{entity}.{row.entity}" if entity else row.entity


class _Import:
    """One import: the batch that fills up and the report that grows."""

    def __init__(
        self, workspace: Workspace, wishes: Wishes, progress: Callable[[ImportProgress], None]
    ) -> None:
        self.report = ImportReport(is_dry_run=wishes.is_dry_run, format=wishes.format)
        self._workspace = workspace
        self._wishes = wishes
        self._progress = progress
        self._target: Target | None = None
        self._batch: list[Row] = []
        self._refused: set[str] = set()

    def see(self, found: Found, path: Path) -> None:
        """Take what a reader found, or note why it is not taken."""
        if isinstance(found, BadRow):
            self.report.add_bad(found)
        elif isinstance(found, LeftOut):
            self.report.contents.left_out[found.reason] += found.count
        elif not self._wishes.only or found.entity == self._wishes.only:
            self._take(_entity_name(found, self._wishes.entity, path), found)

    def _take(self, entity_name: str, row: Row) -> None:
        """Add a row; another entity's first one ends the entity before."""
        if entity_name in self._refused:
            return
        if self._target is None or entity_name != self._target.entity_name:
            self.finish()
            if not self._is_name(entity_name, row):
                return
            self._begin(entity_name)
        for part in in_parts(row) if isinstance(row, ReadMessage) else [row]:
            self._add(part)

    def _add(self, row: Row) -> None:
        if self._batch and type(self._batch[0]) is not type(row):
            self._store_batch()
        self._batch.append(row)
        if len(self._batch) == MESSAGES_PER_CALL:
            self._store_batch()

    def _begin(self, entity_name: str) -> None:
        wishes = self._wishes
        self._target = Target.find(self._workspace, entity_name, wishes.time_zone, wishes.speaker)
        if entity_name not in self.report.entities:
            self.report.entities.append(entity_name)

    def _is_name(self, entity_name: str, row: Row) -> bool:
        """Whether an entity can have the name; one that the file gave is noted as bad, others are raised."""
        try:
            refuse_name(entity_name)
        except IngestError as error:
            if not row.entity:
                raise
            self._refused.add(entity_name)
            said = "; ".join(problem.problem for problem in error.problems)
            self.report.add_bad(BadRow(row.entity[:PLACE_SHOWN], f"as the name of an entity {said}"))
            return False
        return True

    def finish(self) -> None:
        """Store what is left and have the cascade begin with this entity."""
        target = self._target
        if target is None:
            return
        self._store_batch()
        self._target = None
        entity = find_entity(workspace=self._workspace, name=target.entity_name)
        if entity is not None and not self.report.is_dry_run:
            give_titles(target)
            flush(entity)

    def _store_batch(self) -> None:
        rows, self._batch = self._batch, []
        if not rows or self._target is None:
            return
        claims = [row for row in rows if isinstance(row, ReadClaim)]
        messages = [row for row in rows if isinstance(row, ReadMessage)]
        if claims:
            take_claims(self._target, claims, self.report)
        if messages:
            take_messages(self._target, messages, self.report)
        # With DEBUG on, Django keeps the text of its last statements, a hundred messages in each.
        reset_queries()
        self._progress(ImportProgress(rows[-1].fraction, self.report.messages + self.report.claims))
