"""Which formats there are, and which one a file is in."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path

from memory.ingest.importers.locomo import read_locomo
from memory.ingest.importers.openai_jsonl import read_openai_jsonl
from memory.ingest.importers.records import BadRow, ReadMessage, UnreadableFileError

Reader = Callable[[Path], Iterator[ReadMessage | BadRow]]

READERS: dict[str, Reader] = {"openai": read_openai_jsonl, "locomo": read_locomo}


def detect_format(path: Path) -> str:
    """The name of the format, judged by how the file begins; UnreadableFileError for none."""
    first = _first_line(path)
    if first.startswith("["):
        return "locomo"
    if not first.startswith("{"):
        raise UnreadableFileError(f"{path.name} is neither JSONL of messages nor LoCoMo JSON")
    try:
        row = json.loads(first)
    except ValueError:
        return "locomo"  # an object that goes on in the next line is no JSONL
    return "locomo" if "conversation" in row else "openai"


def _first_line(path: Path) -> str:
    try:
        with path.open(encoding="utf-8") as lines:
            return next((line.strip() for line in lines if line.strip()), "")
    except UnicodeDecodeError as error:
        raise UnreadableFileError(f"{path.name} is not in UTF-8") from error
