"""`python -m benchmarks.import_large`: memory and time of importing one large export.

A ChatGPT export of the size asked for is made up, then `manage.py import_conversations` takes in first a
tenth of it and then all of it, each as a child process. What counts is the largest resident size of a child,
as the kernel kept it: it must not grow with the file. The last line is JSON.
"""

from __future__ import annotations

import argparse
import json
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.installation import installation, machine, note

TARGET_MEGABYTES = 300
BYTES_OF_MEGABYTE = 1_000_000
TURNS = (4, 60)
WORDS_OF_TURN = (5, 160)
FIRST_SECOND = 1_600_000_000
SEED = 20_240_501
ROOT = Path(__file__).resolve().parent.parent
# Runs the command and tells the largest resident size of its own process, in kilobytes as Linux keeps it.
CHILD = """
import resource, manage
manage.main()
print("peak", resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
"""


@dataclass(frozen=True)
class Sample:
    """One import: size of the file, messages stored, seconds, and the peak of resident memory."""

    megabytes: float
    messages: int
    seconds: float
    peak_megabytes: float


def main() -> None:
    """Make the files up, import them, print."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.import_large", description=__doc__)
    parser.add_argument("--megabytes", type=float, default=100, help="size of the larger file (100)")
    megabytes = parser.parse_args().megabytes
    with tempfile.TemporaryDirectory(prefix="memseek-import-") as folder, installation(LLM_FAKE="1"):
        from memory.ingest.workspaces import create_workspace

        create_workspace(name="benchmark")
        small, large = (measure(Path(folder), size) for size in (megabytes / 10, megabytes))
        told = _report(small, large) | machine()
    for sample in (small, large):
        print(
            f"{sample.megabytes:.0f} MB, {sample.messages} messages: {sample.seconds:.0f} s, "
            f"peak {sample.peak_megabytes:.0f} MB (target {TARGET_MEGABYTES} MB)"
        )
    print(json.dumps(told))


def measure(folder: Path, megabytes: float) -> Sample:
    """Import a new file of this size into an entity of its own."""
    path = folder / f"export-{megabytes:g}.json"
    size = write_export(path, megabytes)
    note(f"{path.name}: {size / BYTES_OF_MEGABYTE:.1f} MB, importing")
    began = time.perf_counter()
    done = subprocess.run(
        [sys.executable, "-c", CHILD, "import_conversations", str(path), "--workspace", "benchmark"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    seconds = time.perf_counter() - began
    if done.returncode:
        raise SystemExit(done.stderr)
    lines = done.stdout.splitlines()
    return Sample(
        size / BYTES_OF_MEGABYTE, int(lines[0].split()[0]), seconds, int(lines[-1].split()[1]) / 1024
    )


def write_export(path: Path, megabytes: float) -> int:
    """A ChatGPT export of at least this size, the same for the same size; returns its bytes."""
    chance = random.Random(SEED)  # noqa: S311  # made-up words, no secrets
    written = 0
    with path.open("w", encoding="utf-8") as file:
        number = 0
        while written < megabytes * BYTES_OF_MEGABYTE:
            written += file.write("[" if number == 0 else ",\n")
            written += file.write(json.dumps(_conversation(chance, number)))
            number += 1
        written += file.write("]")
    return written


def _conversation(chance: random.Random, number: int) -> dict[str, Any]:
    name = f"conversation-{number}"
    began = FIRST_SECOND + number * 3_600
    mapping: dict[str, Any] = {"root": {"id": "root", "message": None, "parent": None, "children": []}}
    parent = "root"
    for turn in range(chance.randint(*TURNS)):
        node = f"{name}-{turn}"
        role = ("user", "assistant")[turn % 2]
        mapping[parent]["children"].append(node)
        mapping[node] = {
            "id": node,
            "message": _message(node, role, " ".join(_words(chance)), began + turn * 30),
            "parent": parent,
            "children": [],
        }
        parent = node
    return {
        "title": name,
        "create_time": began,
        "mapping": mapping,
        "current_node": parent,
        "conversation_id": name,
    }


def _message(node: str, role: str, text: str, time: int) -> dict[str, Any]:
    return {
        "id": node,
        "author": {"role": role, "name": None, "metadata": {}},
        "create_time": time + 0.25,
        "content": {"content_type": "text", "parts": [text]},
        "metadata": {"model_slug": "made-up"},
        "recipient": "all",
    }


def _words(chance: random.Random) -> Iterator[str]:
    for _ in range(chance.randint(*WORDS_OF_TURN)):
        yield "".join(chance.choices("abcdefghijklmnoprstuvwz", k=chance.randint(2, 9)))


def _report(small: Sample, large: Sample) -> dict[str, Any]:
    return {
        "benchmark": "import_large",
        "megabytes": round(large.megabytes, 1),
        "messages": large.messages,
        "seconds": round(large.seconds, 1),
        "peak_megabytes": round(large.peak_megabytes, 1),
        "peak_megabytes_of_a_tenth": round(small.peak_megabytes, 1),
        "is_within_target": large.peak_megabytes < TARGET_MEGABYTES,
    }


if __name__ == "__main__":
    main()
