"""Which formats there are, and which one a file is in."""

from __future__ import annotations

import codecs
import io
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from memory.ingest.importers.chatgpt import read_chatgpt
from memory.ingest.importers.claude import read_claude
from memory.ingest.importers.export_files import BROKEN_FILE_ERRORS, Export, Meter, open_export
from memory.ingest.importers.json_rows import peek
from memory.ingest.importers.json_stream import TOO_LONG_A_NUMBER, BrokenJsonError, read_events
from memory.ingest.importers.langchain import read_langchain
from memory.ingest.importers.locomo import read_locomo
from memory.ingest.importers.mem0 import LISTS, read_mem0
from memory.ingest.importers.openai_jsonl import read_openai
from memory.ingest.importers.own_records import FIELDS, read_own_records
from memory.ingest.importers.records import Found, UnreadableFileError
from memory.ingest.importers.slack import is_slack, read_slack
from memory.ingest.importers.transcripts import is_transcript, read_transcript

Reader = Callable[[Path], Iterator[Found]]

READERS: dict[str, Reader] = {
    "openai": read_openai,
    "anthropic": read_openai,
    "chatgpt": read_chatgpt,
    "claude": read_claude,
    "langchain": read_langchain,
    "slack": read_slack,
    "mem0": read_mem0,
    "transcript": read_transcript,
    "records": read_own_records,
    "locomo": read_locomo,
}


@dataclass(frozen=True, slots=True)
class Shape:
    """The beginning of a JSON file: the names in its rows, and the names further in."""

    keys: frozenset[str]
    inner: frozenset[str]
    first: frozenset[str]
    """Those of the first row alone."""
    is_empty_list: bool = False


def _is_mem0(shape: Shape) -> bool:
    is_list = "memory" in shape.keys and "role" not in shape.keys
    return is_list or (not shape.keys.isdisjoint(LISTS) and "memory" in shape.inner)


def _is_langchain(shape: Shape) -> bool:
    """Constructors, or types with data, as rows or within a row of messages."""
    names = shape.inner if "messages" in shape.keys else shape.keys
    return {"lc", "kwargs"} <= names or ({"type", "data"} <= names and "role" not in names)


SHAPES: tuple[tuple[str, Callable[[Shape], bool]], ...] = (
    ("chatgpt", lambda shape: "mapping" in shape.keys),
    ("claude", lambda shape: "chat_messages" in shape.keys),
    ("locomo", lambda shape: not shape.keys.isdisjoint({"sample_id", "conversation"})),
    ("mem0", _is_mem0),
    ("langchain", _is_langchain),
    ("records", lambda shape: {"session", "role"} <= shape.first <= FIELDS),
    ("openai", lambda shape: not shape.keys.isdisjoint({"role", "messages"})),
    # Nothing is in it, so any reader of lists may say so.
    ("locomo", lambda shape: shape.is_empty_list),
)
"""What tells a format, in the order of the looks: the first that fits is taken."""


def detect_format(path: Path) -> str:
    """The name of the format, judged by how the files begin, never by their names alone.

    Raises UnreadableFileError for a file in no format; it names what was looked for.
    """
    with open_export(path) as export:
        if is_slack(export):
            return "slack"
        head, is_whole = _head(path, export)
    try:
        text = codecs.getincrementaldecoder("utf-8")().decode(head, final=is_whole)
    except UnicodeDecodeError as error:
        raise UnreadableFileError(f"{path.name} is not in UTF-8") from error
    found = _json_format(head) if text.lstrip().startswith(("{", "[")) else None
    if found is None and is_transcript(text):
        return "transcript"
    if found is None:
        tried = ", ".join(READERS)
        raise UnreadableFileError(
            f"{path.name} is in none of the formats {tried}; --format chooses one of them"
        )
    return found


def _head(path: Path, export: Export) -> tuple[bytes, bool]:
    """The beginning of the first file that holds conversations, and whether that is all of it."""
    files = export.main_files()
    if not files:
        raise UnreadableFileError(
            f"{path.name} is no Slack export, and holds no conversations.json and not one text file alone"
        )
    try:
        with Meter(files).open(files[0]) as stream:
            head = peek(stream)
    except BROKEN_FILE_ERRORS as error:
        raise UnreadableFileError(f"{path.name} cannot be read: {error}") from error
    return head, len(head) >= files[0].size


def _json_format(head: bytes) -> str | None:
    shape = _shape(head)
    return next((name for name, fits in SHAPES if fits(shape)), None)


def _shape(head: bytes) -> Shape:
    """The names in the rows of what could be read of the beginning; it may break off anywhere."""
    rows: list[set[str]] = []
    inner: set[str] = set()
    events: list[str] = []
    row_depth = 1
    try:
        for depth, event, value in read_events(io.BytesIO(head), is_several=True):
            events = [*events[-1:], event]
            if depth == 0:
                row_depth = 1 if event == "start_map" else 2
            if event == "start_map" and depth == row_depth - 1:
                rows.append(set())
            elif event == "map_key" and depth == row_depth:
                rows[-1].add(value)
            elif event == "map_key":
                inner.add(value)
    except (BrokenJsonError, *TOO_LONG_A_NUMBER):
        pass
    keys = frozenset[str]().union(*rows)
    first = frozenset(rows[0]) if rows else keys
    return Shape(keys, frozenset(inner), first, is_empty_list=events == ["start_array", "end_array"])
