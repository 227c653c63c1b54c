"""From the start of a process to its first answer: all from nothing, again, and the web server alone."""

from __future__ import annotations

import shutil
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from benchmarks.figures import Figure
from benchmarks.ground import Ground
from benchmarks.processes import HOST, child, free_port, served, wait_for_answer

SECONDS = "s"
ROOT = Path(__file__).resolve().parents[2]


def measure_starting(ground: Ground) -> Iterator[Figure]:
    """`manage.py serve` in an empty folder makes its database; the second time it is there."""
    cold, warm, web = [], [], []
    for _ in range(ground.options.repetitions):
        folder = Path(tempfile.mkdtemp(prefix="memseek-start-"))
        folder.chmod(0o711)
        try:
            cold.append(_started(folder))
            warm.append(_started(folder))
        finally:
            shutil.rmtree(folder, ignore_errors=True)
        with served() as one:
            web.append(one.started_seconds)
    yield Figure("start in an empty folder", SECONDS, tuple(cold))
    yield Figure("start again", SECONDS, tuple(warm))
    yield Figure("start of the web server alone", SECONDS, tuple(web))


def _started(folder: Path) -> float:
    port = free_port()
    command = [sys.executable, str(ROOT / "manage.py"), "serve", "--host", HOST, "--port", str(port)]
    began = time.perf_counter()
    with child(command, {"MEMSEEK_DATA_DIR": str(folder / "data")}):
        wait_for_answer(f"http://{HOST}:{port}", seconds=300)
        return time.perf_counter() - began
