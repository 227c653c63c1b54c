"""Reading an export: line by line, each checked before it is used; nothing about the file is trusted."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from typing import IO, TypeVar

from pydantic import BaseModel, ValidationError

from memory.stewardship.exporting.kinds import KINDS, Kind
from memory.stewardship.exporting.lines import (
    LINE_BYTES_LIMIT,
    VERSION,
    KindCount,
    Manifest,
    Opening,
    row_class,
)

PROBLEMS_SHOWN = 3
Row = TypeVar("Row", bound=BaseModel)


class UnreadableExportError(ValueError):
    """A file that is no whole export, or cannot be imported here; the text names the line and the reason."""


class ExportFile:
    """An export that is being read; the lines have to be asked for in their order."""

    def __init__(self, source: IO[bytes]) -> None:
        self._source = source
        self._whole = hashlib.sha256()
        self.line = 0
        """The number of the line that was read last."""
        self.bytes_read = 0
        self.manifest = self._manifest()

    def refused(self, problem: str, *, before: int = 0) -> UnreadableExportError:
        """An error about the line that was read last, or one that was read before it."""
        return UnreadableExportError(f"line {self.line - before}: {problem}")

    def _read(self) -> bytes:
        self.line += 1
        line = self._source.readline(LINE_BYTES_LIMIT + 1)
        self.bytes_read += len(line)
        if len(line) > LINE_BYTES_LIMIT:
            raise self.refused(f"has more than {LINE_BYTES_LIMIT} bytes")
        return line

    def _manifest(self) -> Manifest:
        line = self._read()
        try:
            opening = Opening.model_validate_json(line)
        except ValidationError as error:
            raise self.refused("this is no export of an entity") from error
        if opening.version != VERSION:
            raise self.refused(
                f"the format is version {opening.version}, this program reads version {VERSION}"
            )
        manifest = self._checked(Manifest, line)
        if [found.kind for found in manifest.kinds] != [kind.name for kind in KINDS]:
            raise self.refused("the manifest does not list the kinds of rows of this version")
        return manifest

    def _checked(self, model: type[Row], line: bytes) -> Row:
        try:
            return model.model_validate_json(line)
        except ValidationError as error:
            raise self.refused(_told(error)) from error

    def rows(self, kind: Kind) -> Iterator[BaseModel]:
        """The rows of one kind, each validated; the hash is compared once all are read."""
        expected = self._expected(kind)
        model = row_class(kind)
        digest = hashlib.sha256()
        for _ in range(expected.rows):
            line = self._read()
            if not line.endswith(b"\n"):
                raise self.refused(f"the file ends within the rows of kind {kind.name}: it was cut off")
            digest.update(line)
            self._whole.update(line)
            yield self._checked(model, line)
        if digest.hexdigest() != expected.sha256:
            raise self.refused(f"the rows of kind {kind.name} are not those that the manifest was made of")

    def _expected(self, kind: Kind) -> KindCount:
        return next(found for found in self.manifest.kinds if found.kind == kind.name)

    def end(self) -> None:
        """Nothing may follow, and the hash of the whole has to be right."""
        if self._read():
            raise self.refused("more lines than the manifest counts")
        if self._whole.hexdigest() != self.manifest.sha256:
            raise self.refused("the rows are not those that the manifest was made of")


def _told(error: ValidationError) -> str:
    """Which fields are wrong, and why; never what they hold."""
    problems = error.errors(include_url=False, include_context=False, include_input=False)
    return "; ".join(
        f"{'.'.join(map(str, problem['loc'])) or 'the line'}: {problem['msg']}"
        for problem in problems[:PROBLEMS_SHOWN]
    )
