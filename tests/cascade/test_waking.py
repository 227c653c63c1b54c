"""When a step may start: quiet, latest, intervals and flushes, as arithmetic."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta

import pytest

from memory.cascade.waking import (
    Circumstances,
    Waiting,
    extract_due,
    persona_due,
    promotion_due,
    synthesis_due,
)
from memseek_site.product import WakingSettings

NOON = datetime(2026, 6, 2, 12, 0, tzinfo=UTC)
SETTINGS = WakingSettings(
    quiet_seconds=2.0,
    latest_seconds=30.0,
    scene_interval_seconds=15.0,
    persona_interval_seconds=30.0,
    promotion_seconds=60.0,
    lease_seconds=60.0,
    sweep_seconds=15.0,
    retry_seconds=(5.0, 20.0, 80.0),
)


def at(seconds: float) -> datetime:
    return NOON + timedelta(seconds=seconds)


def seen(
    *,
    now: float = 0.0,
    first: float = 0.0,
    last: float = 0.0,
    is_flushing: bool = False,
    is_urgent: bool = False,
    is_upstream_busy: bool = False,
    finished: float | None = None,
) -> Circumstances:
    return Circumstances(
        now=at(now),
        waiting=Waiting(at(first), at(last)),
        is_flushing=is_flushing,
        is_urgent=is_urgent,
        is_upstream_busy=is_upstream_busy,
        last_finished=None if finished is None else at(finished),
    )


@pytest.mark.parametrize(
    ("first", "last", "due"),
    [(0.0, 0.0, 2.0), (0.0, 10.0, 12.0), (0.0, 27.9, 29.9), (0.0, 29.0, 30.0), (0.0, 600.0, 30.0)],
)
def test_extraction_waits_for_quiet_but_never_longer_than_the_limit(
    first: float, last: float, due: float
) -> None:
    assert extract_due(seen(now=last, first=first, last=last), SETTINGS) == at(due)


def test_a_flush_extracts_at_once() -> None:
    assert extract_due(seen(now=0.5, is_flushing=True), SETTINGS) == at(0.5)


@pytest.mark.parametrize(("finished", "due"), [(None, 3.0), (2.0, 17.0), (-12.1, 3.0), (-60.0, 3.0)])
@pytest.mark.parametrize("is_upstream_busy", [True, False])
def test_scenes_are_made_at_once_after_a_pause_and_else_keep_an_interval(
    finished: float | None, due: float, is_upstream_busy: bool
) -> None:
    circumstances = seen(now=3.0, is_upstream_busy=is_upstream_busy, finished=finished)
    assert synthesis_due(circumstances, SETTINGS) == at(due)


def test_a_flush_makes_scenes_only_after_the_last_message_was_read() -> None:
    assert synthesis_due(seen(is_flushing=True, is_upstream_busy=True), SETTINGS) is None
    assert synthesis_due(seen(now=4.0, is_flushing=True, finished=3.0), SETTINGS) == at(4.0)


@pytest.mark.parametrize("due_of", [synthesis_due, persona_due, promotion_due])
def test_what_a_person_changed_waits_for_no_interval_and_only_a_flush_goes_before(
    due_of: Callable[[Circumstances, WakingSettings], datetime | None],
) -> None:
    assert due_of(seen(now=4.0, is_urgent=True, finished=3.9), SETTINGS) == at(4.0)
    assert due_of(seen(now=4.0, is_urgent=True, is_upstream_busy=True, finished=3.9), SETTINGS) == at(4.0)


@pytest.mark.parametrize(("finished", "due"), [(None, 3.0), (2.0, 32.0), (-60.0, 3.0)])
@pytest.mark.parametrize("is_upstream_busy", [True, False])
def test_the_persona_keeps_an_interval(finished: float | None, due: float, is_upstream_busy: bool) -> None:
    circumstances = seen(now=3.0, is_upstream_busy=is_upstream_busy, finished=finished)
    assert persona_due(circumstances, SETTINGS) == at(due)


def test_a_flush_draws_the_persona_at_once_when_the_scenes_are_done() -> None:
    assert persona_due(seen(is_flushing=True, is_upstream_busy=True), SETTINGS) is None
    assert persona_due(seen(now=4.0, is_flushing=True, finished=3.9), SETTINGS) == at(4.0)


@pytest.mark.parametrize(
    ("is_flushing", "is_upstream_busy", "due"),
    [(False, False, 60.0), (False, True, 60.0), (True, True, 60.0), (True, False, 3.0)],
)
def test_the_graph_follows_after_a_while_and_under_a_flush_once_no_message_waits(
    is_flushing: bool, is_upstream_busy: bool, due: float
) -> None:
    circumstances = seen(now=3.0, is_flushing=is_flushing, is_upstream_busy=is_upstream_busy)
    assert promotion_due(circumstances, SETTINGS) == at(due)
