"""`make bench` on memories of a few atoms: what it writes and prints, not how long anything takes."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SMALL = (
    "--sizes",
    "60",
    "120",
    "--embedded",
    "10",
    "--repetitions",
    "1",
    "--queries",
    "2",
    "--writes",
    "2",
    "--batches",
    "1",
)


@pytest.mark.slow
@pytest.mark.timeout(300)
def test_everything_that_was_asked_for_is_measured_and_told(tmp_path: Path) -> None:
    into = tmp_path / "figures" / "bench.json"
    command = [sys.executable, "-m", "benchmarks.bench", *SMALL, "--only", "ingest", "timeline"]
    done = subprocess.run(
        [*command, "--into", str(into)], cwd=ROOT, capture_output=True, text=True, timeout=280
    )
    assert done.returncode == 0, done.stderr
    told = json.loads(into.read_text(encoding="utf-8"))
    assert set(told) == {
        *("benchmark", "options", "table", "figures", "growth", "began_at", "seconds", "machine"),
    }
    assert [(figure["name"], figure["size"]) for figure in told["figures"]] == [
        *(("timeline", size) for size in (60, 120)),
        *((name, None) for name in ("ingest, 8 entities", "ingest, one entity", "ingest, batches of 100")),
        ("ingest, two web processes", None),
        *(("ingest into a memory", size) for size in (60, 120)),
    ]
    assert set(told["growth"]) == {"timeline", "ingest into a memory"}
    assert {"processor", "processors", "memory_megabytes", "load", "python", "postgresql"} <= set(
        told["machine"]
    )
    assert "| one message a request, 8 clients, 8 entities |" in done.stdout
    assert "| stored message to L3 |  | ≤ 2.6 | not measured |  |" in done.stdout
