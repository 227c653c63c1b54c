"""Runs, work and parked batches as JSON values."""

from __future__ import annotations

from uuid import UUID

from typing_extensions import TypedDict

from memory.api.cursors import id_cursor, place_cursor
from memory.measuring.parked import ParkedBatch, ParkedPage
from memory.measuring.runs import RunRecord, RunsPage
from memory.measuring.work import WorkPage, WorkRecord

RUNS, WORK, PARKED = "runs", "work", "parked"


class RunsBody(TypedDict):
    """A page of attempts, newest first."""

    runs: tuple[RunRecord, ...]
    next_after: str | None


class WorkBody(TypedDict):
    """A page of what waits: one row for each step of each entity."""

    work: tuple[WorkRecord, ...]
    next_after: str | None


class ParkedBody(TypedDict):
    """A page of batches that were set aside, those that wait longest first."""

    parked: tuple[ParkedBatch, ...]
    next_after: str | None


class RetriedBody(TypedDict):
    """What went back in line."""

    entity: str
    step: str
    run: UUID | None
    """The one that had set it aside; null when all of the step was asked for."""
    retried: int
    """Inputs; none when somebody was faster."""


def runs_body(page: RunsPage) -> RunsBody:
    """The body of `/runs`."""
    return {"runs": page.runs, "next_after": id_cursor(RUNS, page.next_after)}


def work_body(page: WorkPage) -> WorkBody:
    """The body of `/work`."""
    return {"work": page.work, "next_after": id_cursor(WORK, page.next_after)}


def parked_body(page: ParkedPage) -> ParkedBody:
    """The body of `/parked`."""
    last = page.next_after
    return {
        "parked": page.batches,
        "next_after": place_cursor(PARKED, last.since, last.run) if last else None,
    }
