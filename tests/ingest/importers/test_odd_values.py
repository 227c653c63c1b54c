"""Whatever stands where something else was expected costs its rows, never the import."""

import copy
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from memory.ingest.importers.formats import READERS, detect_format
from memory.ingest.importers.records import (
    BadRow,
    Found,
    LeftOut,
    ReadClaim,
    ReadMessage,
    UnreadableFileError,
)
from memory.ingest.incoming import read_messages
from memory.ingest.problems import IngestError

FILES = Path(__file__).parent.parent / "files"
ODD: list[Any] = [None, 7, "x", [], [7], {"a": {}}]
SAMPLES = {
    "chatgpt.json": "chatgpt",
    "claude.json": "claude",
    "anthropic.json": "anthropic",
    "openai.json": "openai",
    "langchain_dict.json": "langchain",
    "langchain_constructors.json": "langchain",
    "mem0.json": "mem0",
}


def places(value: Any, *before: Any) -> Iterator[tuple[Any, ...]]:
    """The way to every value inside."""
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, inner in items:
        yield (*before, key)
        yield from places(inner, *before, key)


def with_odd_values(value: Any) -> Iterator[Any]:
    """The value again and again, each time with one thing in it changed."""
    for *way, last in places(value):
        for odd in ODD:
            changed = copy.deepcopy(value)
            holder = changed
            for key in way:
                holder = holder[key]
            holder[last] = odd
            yield changed


def check(found: Found) -> None:
    """A message is one that can be validated, whatever comes of it."""
    assert isinstance(found, (ReadMessage, ReadClaim, LeftOut, BadRow))
    if isinstance(found, ReadMessage):
        try:
            read_messages([found.message])
        except IngestError:
            return


@pytest.mark.parametrize("sample", SAMPLES)
def test_an_odd_value_in_an_export(tmp_path: Path, sample: str) -> None:
    value = json.loads((FILES / sample).read_text())
    rows = value if isinstance(value, list) else value.get("results", [value])
    odd = [*ODD, *(changed for row in rows for changed in with_odd_values(row))]
    path = tmp_path / sample
    path.write_text(json.dumps(odd))
    found = list(READERS[SAMPLES[sample]](path))
    assert len(found) >= len(odd) / 2
    for row in found:
        check(row)


@pytest.mark.parametrize("name", ["users.json", "channels.json", "garden/2024-05-01.json"])
def test_an_odd_value_in_a_file_of_slack(tmp_path: Path, name: str) -> None:
    for file in FILES.joinpath("slack").rglob("*.json"):
        copied = tmp_path / file.relative_to(FILES / "slack")
        copied.parent.mkdir(exist_ok=True)
        copied.write_bytes(file.read_bytes())
    read = 0
    for value in with_odd_values(json.loads((FILES / "slack" / name).read_text())):
        (tmp_path / name).write_text(json.dumps(value))
        for found in READERS["slack"](tmp_path):
            check(found)
            read += 1
    assert read > 0


def test_a_number_of_too_many_digits_ends_its_array(tmp_path: Path) -> None:
    said = '{"role": "user", "content": "hi"}'
    path = tmp_path / "file.json"
    path.write_text(f'[{said}, {{"role": "user", "content": {"9" * 5_000}}}, {said}]')
    with pytest.raises(UnreadableFileError, match="in none of the formats"):
        detect_format(path)
    *_, bad = READERS["openai"](path)
    assert isinstance(bad, BadRow)
    assert bad.problem == "and all after it is no JSON: holds a number with too many digits"
