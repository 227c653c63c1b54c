"""What the rows say, as metrics. Read once in ten seconds at most, in a constant number of statements.

Totals of runs are those of today and begin anew at midnight UTC, as the budgets do: Prometheus takes that for
a counter that was reset, and every process tells the same, whenever it was started.
"""

from __future__ import annotations

import re
import threading
import time
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from datetime import timedelta

from django.db import DatabaseError, InterfaceError
from django.utils import timezone
from prometheus_client import Metric
from prometheus_client.metrics_core import (
    CounterMetricFamily,
    GaugeMetricFamily,
    HistogramMetricFamily,
    InfoMetricFamily,
)

from memory.measuring.today import BUCKETS_SECONDS, RunTotals, runs_today
from memory.measuring.waiting import Pause, Waiting, budget_pauses, waiting, waiting_for_index
from memory.models import Process
from memseek_site import VERSION
from memseek_site.doctor.processes import silent_after

FRESH_SECONDS = 10.0
# Kinds of failure are words of the program, names of models those of the settings; the rest is neither.
LABEL = re.compile(r"[\w.:/@+-]{1,128}", re.ASCII)
OTHER = "other"


@dataclass(frozen=True, slots=True)
class Snapshot:
    """All that one reading found."""

    waiting: list[Waiting] = field(default_factory=list)
    runs: list[RunTotals] = field(default_factory=list)
    pauses: list[Pause] = field(default_factory=list)
    processes: list[Process] = field(default_factory=list)
    is_database_up: bool = True


def read() -> Snapshot:
    """Ask the database; without an answer there is nothing but that."""
    since = timezone.now() - timedelta(days=1)
    try:
        return Snapshot(
            waiting=[*waiting(), waiting_for_index()],
            runs=runs_today(),
            pauses=budget_pauses(),
            processes=list(Process.objects.filter(seen_at__gte=since).order_by("kind", "name")),
        )
    except (DatabaseError, InterfaceError):
        return Snapshot(is_database_up=False)


class RowsCollector:
    """Gives Prometheus's library the newest reading."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._snapshot: Snapshot | None = None
        self._read_at = 0.0

    def collect(self) -> Iterator[Metric]:
        """All metrics that come from rows."""
        found = self._fresh()
        up = GaugeMetricFamily("memseek_database_up", "Whether the database answered.")
        up.add_metric([], float(found.is_database_up))
        yield up
        yield InfoMetricFamily("memseek", "The version of this process.", {"version": VERSION})
        if found.is_database_up:
            yield from waiting_metrics(found.waiting, found.pauses)
            yield from run_metrics(found.runs)
            yield from process_metrics(found.processes)

    def _fresh(self) -> Snapshot:
        # Scrapers that come at once wait for one reading instead of making several.
        with self._lock:
            if self._snapshot is None or time.monotonic() - self._read_at > FRESH_SECONDS:
                self._snapshot = read()
                self._read_at = time.monotonic()
            return self._snapshot


def waiting_metrics(states: Iterable[Waiting], pauses: Iterable[Pause]) -> Iterator[Metric]:
    """Queue depth, age and parked inputs by step, and what a used-up budget holds up."""
    depth = GaugeMetricFamily("memseek_waiting_inputs", "Inputs that wait for a step.", labels=["step"])
    age = GaugeMetricFamily(
        "memseek_oldest_waiting_seconds", "Age of the oldest input that waits for a step.", labels=["step"]
    )
    parked = GaugeMetricFamily("memseek_parked_inputs", "Inputs set aside for a person.", labels=["step"])
    now = timezone.now()
    for state in states:
        depth.add_metric([state.step], state.pending)
        parked.add_metric([state.step], state.parked)
        waits = max(0.0, (now - state.oldest).total_seconds()) if state.oldest else 0.0
        age.add_metric([state.step], waits)
    paused = GaugeMetricFamily(
        "memseek_paused_entities",
        "Entities whose step waits for midnight UTC: no tokens left.",
        labels=["step"],
    )
    workspaces = GaugeMetricFamily(
        "memseek_paused_workspaces", "Workspaces whose tokens of today are used up, by step.", labels=["step"]
    )
    for pause in pauses:
        paused.add_metric([pause.step], pause.entities)
        workspaces.add_metric([pause.step], pause.workspaces)
    yield from (depth, age, parked, paused, workspaces)


def run_metrics(totals: Iterable[RunTotals]) -> Iterator[Metric]:
    """Runs, failures, tokens, cost and durations of today."""
    runs = CounterMetricFamily(
        "memseek_runs", "Runs that ended today, by outcome.", labels=["step", "status"]
    )
    failures = CounterMetricFamily("memseek_run_failures", "Failed runs of today.", labels=["step", "kind"])
    tokens = CounterMetricFamily(
        "memseek_tokens", "Model tokens of today.", labels=["model", "step", "direction"]
    )
    cost = CounterMetricFamily("memseek_cost", "Cost of today, as priced.", labels=["model", "step"])
    for row in totals:
        model = _label(row.model)
        runs.add_metric([row.step, row.status], row.runs)
        if row.error_kind:
            failures.add_metric([row.step, _label(row.error_kind)], row.runs)
        tokens.add_metric([model, row.step, "in"], row.tokens_in)
        tokens.add_metric([model, row.step, "out"], row.tokens_out)
        cost.add_metric([model, row.step], float(row.cost))
    yield from (*map(_added_up, (runs, failures, tokens, cost)), _durations(totals))


def _added_up(family: Metric) -> Metric:
    """One sample for each set of labels: rows are told apart by more than any one family shows."""
    sums: dict[tuple[tuple[str, str], ...], float] = defaultdict(float)
    for sample in family.samples:
        sums[tuple(sample.labels.items())] += float(sample.value)
    name = f"{family.name}_total"
    family.samples = []
    for labels, value in sums.items():
        family.add_sample(name, dict(labels), value)
    return family


def _durations(totals: Iterable[RunTotals]) -> Metric:
    seconds = HistogramMetricFamily("memseek_run_seconds", "Time of the runs of today.", labels=["step"])
    by_step: dict[str, list[RunTotals]] = defaultdict(list)
    for row in totals:
        by_step[row.step].append(row)
    for step, rows in by_step.items():
        within = [sum(counts) for counts in zip(*(row.within for row in rows), strict=True)]
        buckets = [(str(limit), float(count)) for limit, count in zip(BUCKETS_SECONDS, within, strict=True)]
        buckets.append(("+Inf", float(sum(row.runs for row in rows))))
        seconds.add_metric([step], buckets, sum(row.milliseconds for row in rows) / 1_000)
    return seconds


def process_metrics(processes: Iterable[Process]) -> Iterator[Metric]:
    """Signs of life, and under how many configurations the living run."""
    now = timezone.now()
    seen = GaugeMetricFamily(
        "memseek_process_seen_seconds", "Age of a process's last sign of life.", labels=["kind", "process"]
    )
    living = GaugeMetricFamily("memseek_processes", "Processes that live.", labels=["kind"])
    counts = dict.fromkeys(Process.Kind.values, 0)
    hashes = set()
    for process in processes:
        age = max(0.0, (now - process.seen_at).total_seconds())
        seen.add_metric([process.kind, process.name], age)
        if now - process.seen_at <= silent_after():
            counts[process.kind] += 1
            hashes.add(process.configuration_hash)
    for kind, count in counts.items():
        living.add_metric([kind], count)
    configurations = GaugeMetricFamily(
        "memseek_configurations", "Different configurations among the living; more than one is a mistake."
    )
    configurations.add_metric([], len(hashes))
    yield from (seen, living, configurations)


def _label(text: str) -> str:
    if not text:
        return "none"
    return text if LABEL.fullmatch(text) else OTHER
