"""What `benchmarks.bench` measures, one subject a module: a function from the ground to its figures."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from benchmarks.figures import Figure
from benchmarks.ground import Ground
from benchmarks.subjects.backlog import measure_backlog
from benchmarks.subjects.ingest import measure_ingest
from benchmarks.subjects.ladder import measure_ladder
from benchmarks.subjects.reading import (
    measure_compile,
    measure_context,
    measure_recall,
    measure_timeline,
)
from benchmarks.subjects.residence import measure_residence
from benchmarks.subjects.starting import measure_starting
from benchmarks.subjects.talk import measure_talk

Subject = Callable[[Ground], Iterator[Figure]]

SUBJECTS: Mapping[str, Subject] = {
    "timeline": measure_timeline,
    "recall": measure_recall,
    "context": measure_context,
    "compile": measure_compile,
    "ladder": measure_ladder,
    "talk": measure_talk,
    "backlog": measure_backlog,
    "ingest": measure_ingest,
    "residence": measure_residence,
    "starting": measure_starting,
}
"""In this order, whatever was asked for: what is read is measured before more is stored."""
