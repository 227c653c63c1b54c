"""Files whose rows are JSON: lines, the items of one array, or one object alone."""

from __future__ import annotations

import io
import json
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from memory.ingest.importers.export_files import (
    BROKEN_FILE_ERRORS,
    HEAD_BYTES,
    ExportFile,
    Meter,
    open_export,
)
from memory.ingest.importers.json_stream import BrokenJsonError, read_items
from memory.ingest.importers.records import BadRow, UnreadableFileError

OPENINGS = (b"[", b"{")


@dataclass(frozen=True, slots=True)
class Row:
    """A JSON value, where it stands, and how much of the file has been read after it."""

    place: str
    fraction: float
    value: Any
    content: bytes | None = None
    """What it looks like in the file, when it has a line of its own."""


def read_rows(
    path: Path, *, under: Collection[str] = (), is_lines: bool | None = None
) -> Iterator[Row | BadRow]:
    """Every row of the conversation files behind a path; `under` names the arrays of an object to look into.

    What is no JSON costs its own line; in an array, all that comes after it; one of several files itself.
    Raises UnreadableFileError when there is no file to read, or when the only one begins as no JSON.
    """
    with open_export(path) as export:
        files = export.main_files()
        if not files:
            raise UnreadableFileError(f"{path.name} holds no conversations.json and not one text file alone")
        meter = Meter(files)
        for file in files:
            place = f"{file.name} " if len(files) > 1 else ""
            try:
                with meter.open(file) as stream:
                    yield from _read_file(stream, file, meter, place, under, is_lines)
            except (UnreadableFileError, *BROKEN_FILE_ERRORS) as error:
                if len(files) == 1:
                    raise
                yield BadRow(file.name, f"cannot be read: {error}")


def _read_file(
    stream: io.BufferedReader,
    file: ExportFile,
    meter: Meter,
    place: str,
    under: Collection[str],
    is_lines: bool | None,
) -> Iterator[Row | BadRow]:
    head = peek(stream)
    if is_lines is None:
        is_lines = are_lines(head, is_whole=file.size <= len(head), is_object_looked_into=bool(under))
    if is_lines:
        yield from _read_lines(stream, meter, place)
    else:
        yield from _read_document(stream, file, meter, place, under)


def peek(stream: io.BufferedReader) -> bytes:
    """The beginning of an opened file, without taking it."""
    return stream.peek(HEAD_BYTES)[:HEAD_BYTES]


def are_lines(head: bytes, *, is_whole: bool, is_object_looked_into: bool = False) -> bool:
    """Whether a file that begins so has a JSON value on each line, judged by its first line with any text.

    An object on a line of its own is a row, unless it is the whole file and looked into for its arrays.
    """
    first, _, rest = head.lstrip().partition(b"\n")
    is_cut = not is_whole and not rest
    if is_cut or not _is_json(first):
        return is_cut and first.startswith(b"{") and not is_object_looked_into
    if rest.strip():
        return True
    return first.startswith(b"{") and not is_object_looked_into


def _is_json(line: bytes) -> bool:
    try:
        json.loads(line)
    except (ValueError, RecursionError):
        return False
    return True


def _read_lines(stream: io.BufferedReader, meter: Meter, place: str) -> Iterator[Row | BadRow]:
    number = 0
    try:
        for number, line in enumerate(stream, start=1):
            content = line.strip()
            if content:
                yield _line(content, f"{place}line {number}", meter.fraction)
    except BROKEN_FILE_ERRORS as error:
        yield BadRow(f"{place}line {number + 1}", f"and all after it cannot be read: {error}")


def _line(content: bytes, place: str, fraction: float) -> Row | BadRow:
    try:
        return Row(place, fraction, json.loads(content), content)
    except (ValueError, RecursionError):
        return BadRow(place, "is no JSON")


def _read_document(
    stream: io.BufferedReader, file: ExportFile, meter: Meter, place: str, under: Collection[str]
) -> Iterator[Row | BadRow]:
    if not peek(stream).lstrip().startswith(OPENINGS):
        raise UnreadableFileError(f"{file.name} is no JSON: it begins with neither [ nor {{")
    number = 0
    try:
        for number, value in enumerate(read_items(stream, under=under), start=1):
            yield Row(f"{place}item {number}", meter.fraction, value)
    except BrokenJsonError as error:
        yield BadRow(f"{place}item {number + 1}", f"and all after it is no JSON: {error}")
