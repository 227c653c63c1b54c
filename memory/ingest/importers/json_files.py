"""Files that are one JSON document."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from memory.ingest.importers.records import UnreadableFileError

ENCODING = "utf-8-sig"
"""A byte order mark is no part of what a file says."""


def load_json(path: Path) -> Any:
    """The value of the file. Raises UnreadableFileError when it is no JSON, or nested too deep to be read."""
    try:
        return json.loads(path.read_text(encoding=ENCODING))
    except (ValueError, RecursionError) as error:
        raise UnreadableFileError(f"{path.name} is no JSON: {error}") from error


def first_line(path: Path) -> str:
    """The first line with something in it, without white space around it; empty when there is none."""
    try:
        with path.open(encoding=ENCODING) as lines:
            return next((line.strip() for line in lines if line.strip()), "")
    except UnicodeDecodeError as error:
        raise UnreadableFileError(f"{path.name} is not in UTF-8") from error
