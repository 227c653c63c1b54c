"""A worker of its own indexes what a process stores, and what was stored while no worker lived."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.data_folders import migrated_folder
from tests.faults.processes import end_orderly, start_worker
from tests.setup.commands import environment, manage, wait_until

pytestmark = pytest.mark.slow

TALK = {"messages": [{"role": "user", "content": "Never deploy to production without my approval."}]}


@pytest.fixture
def folder() -> Iterator[Path]:
    """A folder that the embedded servers' account may enter; whatever runs from it ends with the test."""
    with migrated_folder() as data_dir:
        yield data_dir.parent


def index_findings(folder: Path) -> list[tuple[str, str]]:
    """What the doctor says of the index and the embedder."""
    findings = json.loads(manage(folder / "memseek", "doctor", "--json").stdout)["findings"]
    return [
        (finding["level"], finding["text"])
        for finding in findings
        if finding["topic"] in ("index", "embedder")
    ]


def store(folder: Path, entity: str) -> None:
    file = folder / f"{entity}.jsonl"
    file.write_text(json.dumps(TALK))
    done = manage(folder / "memseek", "import_conversations", str(file), "--workspace", "acme")
    assert done.returncode == 0, done.stderr


def test_a_worker_indexes_what_waits(folder: Path) -> None:
    variables = environment(folder / "memseek", MEMSEEK_SWEEP_SECONDS="1")
    assert manage(folder / "memseek", "create_workspace", "acme").returncode == 0
    store(folder, "before")
    level, text = index_findings(folder)[0]
    assert (level, text.partition(";")[0]) == ("note", "1 rows wait for the index, 0 for a vector")
    worker = start_worker(variables, log=folder / "worker.log")
    try:
        store(folder, "after")
        wait_until(lambda: [level for level, _ in index_findings(folder)] == ["fine", "fine"])
    finally:
        assert end_orderly(worker) == 0
