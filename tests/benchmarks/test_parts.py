"""`make bench-parts` on a memory of a few atoms: that every exchange is told, not how long it takes."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
EVERY_REQUEST = {"the whole request", "what is left: Python's own", "key_of_digest"}


@pytest.mark.slow
@pytest.mark.timeout(300)
def test_each_exchange_of_each_request_is_told() -> None:
    command = [
        sys.executable,
        "-m",
        "benchmarks.parts",
        "--sizes",
        "60",
        "--embedded",
        "10",
        "--queries",
        "6",
    ]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=280)
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout.splitlines()[-1])
    parts = {one["request"]: one["parts"] for one in told["requests"]}
    assert list(parts) == ["timeline", "recall", "context", "message"]
    assert all(set(found) >= EVERY_REQUEST for found in parts.values())
    assert set(parts["message"]) - EVERY_REQUEST == {"entity_of_name + session_lock", "message_add", "commit"}
    searching = {
        "the query's embedding",
        "search_counts",
        "search_words",
        "search_vectors",
        "search_receipts",
    }
    assert all(set(parts[request]) >= searching for request in ("recall", "context"))
    for found in parts.values():
        whole = found["the whole request"]
        assert whole["passes"] >= max(part["passes"] for part in found.values())
        assert whole["works"] <= whole["passes"] + 0.01
