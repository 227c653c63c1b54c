"""Large files are read as they are taken, never whole."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from benchmarks.import_large import CHILD, write_export
from memory.ingest.importers.formats import READERS, detect_format
from memory.ingest.importers.records import ReadClaim, ReadMessage
from tests.setup.commands import ROOT, environment, manage

COUNT = 20_000
LINE = {"session": "s", "role": "user", "text": "some words of a message that is long enough"}
MEMORY = {"id": "m", "memory": "some words of a memory that is long enough", "user_id": "u"}
CHAT = {"role": "user", "content": "some words of a message that is long enough"}
HUMAN = {"type": "human", "data": {"content": "some words of a message"}}
TALK = {"uuid": "c", "chat_messages": [{"uuid": "m", "sender": "human", "text": "some words"}]}

CONTENTS = {
    "records": "\n".join([json.dumps(LINE)] * COUNT),
    "openai": json.dumps([CHAT] * COUNT),
    "langchain": json.dumps([HUMAN] * COUNT),
    "claude": json.dumps([TALK] * COUNT),
    "mem0": json.dumps({"results": [MEMORY] * COUNT}),
    "transcript": "\n".join(["2024-05-01 10:00 Ann: some words of a message"] * COUNT),
}


@pytest.mark.parametrize("format", CONTENTS)
def test_the_first_message_comes_long_before_the_end(tmp_path: Path, format: str) -> None:
    path = tmp_path / "large"
    path.write_text(CONTENTS[format])
    assert detect_format(path) == format
    found = READERS[format](path)
    first: Any = next(found)
    assert isinstance(first, (ReadMessage, ReadClaim))
    assert 0 < first.fraction < 0.15
    last: Any = list(found)[-1]
    assert last.fraction == 1


@pytest.mark.slow
def test_a_large_export_takes_no_more_memory_than_a_small_one(migrated_dir: Path, tmp_path: Path) -> None:
    assert manage(migrated_dir, "create_workspace", "acme").returncode == 0
    small, large = (_peak_megabytes(migrated_dir, tmp_path, size) for size in (0.5, 5))
    assert large < small + 20


def _peak_megabytes(migrated_dir: Path, folder: Path, megabytes: float) -> float:
    path = folder / f"{megabytes}.json"
    write_export(path, megabytes)
    done = subprocess.run(
        [sys.executable, "-c", CHILD, "import_conversations", str(path), "--workspace", "acme", "--dry-run"],
        cwd=ROOT,
        env=environment(migrated_dir, LLM_FAKE="1"),
        capture_output=True,
        text=True,
        check=True,
    )
    return int(done.stdout.split()[-1]) / 1024
