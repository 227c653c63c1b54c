"""`python -m benchmarks.bench`: everything that is wanted of the product's speed, measured by one command.

Servers and data are the command's own, filled once and shared by its subjects. A figure is the median of
some repetitions; the JSON file holds all of them with the spread of single samples, the machine and the
versions. The table at the end says what is wanted, what was seen, and how it grows with the memory.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict, fields
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from benchmarks.figures import Figure, growth
from benchmarks.ground import Ground, Options
from benchmarks.installation import machine, note
from benchmarks.subjects import SUBJECTS
from benchmarks.targets import by_size, markdown, others, table

INTO = Path(".memseek/bench.json")
MILLION = 1_000_000
MEGABYTE = 1024 * 1024


def main() -> None:
    """Measure, write, print."""
    arguments = _arguments()
    options = _options(arguments)
    began_at, began = datetime.now(UTC), time.monotonic()
    with Ground(options) as ground:
        figures = list(measured(ground, arguments.only))
        told = report(options, figures)
        told |= {"began_at": began_at.isoformat(), "seconds": round(time.monotonic() - began)}
        told["machine"] = described_machine()
    arguments.into.parent.mkdir(parents=True, exist_ok=True)
    arguments.into.write_text(json.dumps(told, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    for line in shown(figures):
        print(line)
    note(f"written to {arguments.into}")


def _arguments() -> argparse.Namespace:
    usual = Options()
    parser = argparse.ArgumentParser(prog="python -m benchmarks.bench", description=__doc__)
    parser.add_argument(
        "--only", nargs="+", choices=list(SUBJECTS), default=list(SUBJECTS), metavar="SUBJECT"
    )
    parser.add_argument("--into", type=Path, default=INTO, help=f"the file of the figures ({INTO})")
    parser.add_argument("--sizes", type=int, nargs="+", default=usual.sizes, metavar="ATOMS")
    parser.add_argument("--million", action="store_true", help="a memory of 1,000,000 atoms as well")
    parser.add_argument(
        "--real-time", action="store_true", dest="is_real_time", help="no faster clock for talk"
    )
    for name, what in (
        ("repetitions", "of each figure"),
        ("queries", "requests of each repetition of what is read"),
        ("writes", "requests of each client that store one message"),
        ("batches", "requests of each client that store a hundred"),
        ("entities", "fresh ones that climb the ladder in each repetition"),
        ("talk", "messages of the conversation"),
        ("backlog", "messages that are stored at once"),
        ("embedded", "texts whose vectors are not drawn around others"),
    ):
        value = getattr(usual, name)
        parser.add_argument(f"--{name}", type=int, default=value, help=f"{what} ({value:,})")
    return parser.parse_args()


def _options(arguments: argparse.Namespace) -> Options:
    sizes = {*arguments.sizes, *([MILLION] if arguments.million else [])}
    given = {field.name: getattr(arguments, field.name) for field in fields(Options)}
    return Options(**(given | {"sizes": tuple(sorted(sizes))}))


def measured(ground: Ground, wanted: Sequence[str]) -> Iterator[Figure]:
    """The figures of these subjects, in the order of all."""
    for name, measure in SUBJECTS.items():
        if name in wanted:
            note(f"-- {name}")
            for figure in measure(ground):
                note(f"{figure.name}{'' if figure.size is None else f' at {figure.size:,}'}: {figure.values}")
                yield figure


def report(options: Options, figures: Sequence[Figure]) -> dict[str, Any]:
    """What is written: options, the table, every figure, and the exponents of growth."""
    return {
        "benchmark": "bench",
        "options": asdict(options),
        "table": [row.as_json() for row in table(figures)],
        "figures": [figure.as_json() for figure in figures],
        "growth": growth(figures),
    }


def described_machine() -> dict[str, Any]:
    """The machine, its load at this moment, and the versions."""
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") // MEGABYTE
    return {
        **machine(),
        "processor": _processor_name(),
        "kernel": platform.release(),
        "memory_megabytes": memory,
        "load": [round(load, 2) for load in os.getloadavg()],
    }


def _processor_name() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return platform.processor()
    return next((line.partition(": ")[2] for line in lines if line.startswith("model name")), "")


def shown(figures: Sequence[Figure]) -> Iterator[str]:
    """The tables and what else was measured."""
    yield from markdown(table(figures))
    if any(figure.size for figure in figures):
        yield ""
        yield from by_size(figures, growth(figures))
    yield ""
    yield from others(figures)


if __name__ == "__main__":
    main()
