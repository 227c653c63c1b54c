"""Which formats there are, and which one a file is in."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path

from memory.ingest.importers.json_files import first_line, load_json
from memory.ingest.importers.locomo import read_locomo
from memory.ingest.importers.openai_jsonl import is_chat, read_openai
from memory.ingest.importers.records import BadRow, ReadMessage, UnreadableFileError

Reader = Callable[[Path], Iterator[ReadMessage | BadRow]]

READERS: dict[str, Reader] = {"openai": read_openai, "locomo": read_locomo}


def detect_format(path: Path) -> str:
    """The name of the format, judged by how the file begins; UnreadableFileError for none."""
    first = first_line(path)
    if first.startswith("["):
        items = load_json(path)
        return "openai" if items and is_chat(items[0]) else "locomo"
    if not first.startswith("{"):
        raise UnreadableFileError(f"{path.name} is neither JSONL of messages nor LoCoMo JSON")
    try:
        row = json.loads(first)
    except ValueError:
        return "locomo"  # an object that goes on in the next line is no JSONL
    except RecursionError:
        return "openai"  # a bad line of JSONL: the others may be good
    return "locomo" if "conversation" in row else "openai"
