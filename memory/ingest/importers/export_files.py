"""The files of an export: one file, a folder, or a zip that is read in place and never unpacked to disk."""

from __future__ import annotations

import codecs
import io
import lzma
import re
import zipfile
import zlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path, PurePosixPath
from typing import IO

from memory.ingest.importers.records import UnreadableFileError

HEAD_BYTES = 65_536
"""As much of a file is looked at to tell its format, and read at once."""

MOST_FILES = 200_000
LARGEST_FILE_BYTES = 8 * 2**30
LARGEST_EXPORT_BYTES = 32 * 2**30
MOST_TIMES_PACKED = 250
"""Text in JSON packs to a tenth; what packs to less than this share of itself was made to fill a disk."""
PACKED_FREELY_BYTES = 2**20
CONVERSATIONS = re.compile(r"conversations(?:-\d+)?\.json")
TEXT_ENDINGS = (".json", ".jsonl", ".ndjson", ".txt")
SHADOW = "._"
"""macOS packs a file of attributes named so beside each of its files."""

BROKEN_ARCHIVE_ERRORS = (EOFError, NotImplementedError, zipfile.BadZipFile, zlib.error, lzma.LZMAError)
"""What reading from an archive raises that is damaged, or packed in a way that is not known here."""
BROKEN_FILE_ERRORS = (OSError, *BROKEN_ARCHIVE_ERRORS)


@dataclass(frozen=True, slots=True)
class ExportFile:
    """One file of an export. `name` is its path in the export, with slashes."""

    name: str
    size: int
    open_raw: Callable[[], IO[bytes]]

    @property
    def base_name(self) -> str:
        """The last part of its path."""
        return PurePosixPath(self.name).name


@dataclass(frozen=True, slots=True)
class Export:
    """All files of an export, in the order of their names. `stem` is what the whole is called."""

    stem: str
    files: Sequence[ExportFile]

    def main_files(self) -> list[ExportFile]:
        """The files that hold the conversations: those named so, else the only one that holds text."""
        named = [file for file in self.files if CONVERSATIONS.fullmatch(file.base_name)]
        if named or len(self.files) == 1:
            return named or list(self.files)
        texts = [
            file
            for file in self.files
            if file.name.lower().endswith(TEXT_ENDINGS) and not file.base_name.startswith(SHADOW)
        ]
        return texts if len(texts) == 1 else []


class Meter:
    """Opens files one after the other and knows how much of all their bytes has been taken."""

    def __init__(self, files: Sequence[ExportFile]) -> None:
        self._total = max(1, sum(file.size for file in files))
        self._before = 0
        self._stream: io.BufferedReader | None = None

    @property
    def fraction(self) -> float:
        """From 0 to 1."""
        here = self._stream.tell() if self._stream else 0
        return min(1.0, (self._before + here) / self._total)

    @contextmanager
    def open(self, file: ExportFile) -> Iterator[io.BufferedReader]:
        """The bytes of a file without a byte order mark, read ahead by no more than a head."""
        with file.open_raw() as raw:
            stream: io.BufferedReader = io.BufferedReader(_Counted(raw), HEAD_BYTES)
            self._stream = stream
            try:
                if stream.peek(3).startswith(codecs.BOM_UTF8):
                    stream.read(len(codecs.BOM_UTF8))
                yield stream
            finally:
                self._stream = None
                self._before += file.size


class _Counted(io.RawIOBase):
    """A file, perhaps out of an archive, that knows how many bytes were taken from it."""

    def __init__(self, inner: IO[bytes]) -> None:
        self._inner = inner
        self._taken = 0

    def readable(self) -> bool:
        """For the buffer around it."""
        return True

    def tell(self) -> int:
        """How many bytes were taken."""
        return self._taken

    def readinto(self, buffer: bytearray | memoryview) -> int:  # type: ignore[override]
        """As RawIOBase has it."""
        data = self._inner.read(len(buffer))
        buffer[: len(data)] = data
        self._taken += len(data)
        return len(data)


@contextmanager
def open_export(path: Path) -> Iterator[Export]:
    """The files behind a path, for as long as the block runs.

    Raises UnreadableFileError for an archive that is damaged, locked, too large, packed beyond belief, or
    that names files outside itself; OSError when there is nothing at the path.
    """
    if path.is_dir():
        yield Export(path.name, list(_files_of_folder(path)))
    elif _is_zip(path):
        with _opened_zip(path) as archive:
            yield Export(path.stem, [_member(archive, info) for info in _checked(path, archive)])
    else:
        yield Export(path.stem, [_plain_file(path, path.name)])


def _is_zip(path: Path) -> bool:
    with path.open("rb") as file:
        return file.read(4) in (b"PK\x03\x04", b"PK\x05\x06")


@contextmanager
def _opened_zip(path: Path) -> Iterator[zipfile.ZipFile]:
    try:
        archive = zipfile.ZipFile(path)
    except (zipfile.BadZipFile, NotImplementedError, ValueError) as error:
        raise UnreadableFileError(f"{path.name} is a damaged zip: {error}") from error
    try:
        with archive:
            yield archive
    except BROKEN_ARCHIVE_ERRORS as error:
        raise UnreadableFileError(f"{path.name} cannot be read: {error}") from error


def _checked(path: Path, archive: zipfile.ZipFile) -> list[zipfile.ZipInfo]:
    """The members that are files; refuses the whole archive for one that no export would hold."""
    members = sorted(
        (info for info in archive.infolist() if not info.is_dir()), key=lambda info: info.filename
    )
    if len(members) > MOST_FILES or sum(info.file_size for info in members) > LARGEST_EXPORT_BYTES:
        raise UnreadableFileError(f"{path.name} holds more files or bytes than an import takes")
    for info in members:
        problem = _member_problem(info)
        if problem:
            raise UnreadableFileError(f"{path.name}: {info.filename[:120]!r} {problem}")
    return members


def _member_problem(info: zipfile.ZipInfo) -> str | None:
    parts = PurePosixPath(info.filename.replace("\\", "/")).parts
    if not parts or parts[0] == "/" or ".." in parts or ":" in parts[0]:
        return "names a file outside the archive"
    if info.flag_bits & 1:
        return "is locked by a password"
    if info.file_size > LARGEST_FILE_BYTES:
        return "is larger than an import takes"
    is_bomb = info.file_size > PACKED_FREELY_BYTES + MOST_TIMES_PACKED * info.compress_size
    return "is packed beyond what text can be" if is_bomb else None


def _member(archive: zipfile.ZipFile, info: zipfile.ZipInfo) -> ExportFile:
    return ExportFile(info.filename, info.file_size, partial(archive.open, info))


def _plain_file(path: Path, name: str) -> ExportFile:
    return ExportFile(name, path.stat().st_size, lambda: path.open("rb"))


def _files_of_folder(folder: Path) -> Iterator[ExportFile]:
    """Every plain file below; links are not followed, they may lead outside."""
    for path in sorted(folder.rglob("*")):
        if path.is_file() and not path.is_symlink():
            name = path.relative_to(folder).as_posix()
            yield _plain_file(path, name)
