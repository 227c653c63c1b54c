"""The schedule of sweeps: by a clock that nobody can set."""

from __future__ import annotations

import time
from typing import Any

import pytest

from memseek_site.celery import application
from memseek_site.steady_beat import SteadyScheduler

EVERY = {"sweep": 15.0, "retention": 40.0}


class Clock:
    """The two clocks of a machine."""

    def __init__(self) -> None:
        self.steady = 1_000.0
        self.wrong_by = 0.0


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock()
    real = time.time
    monkeypatch.setattr(time, "monotonic", lambda: clock.steady)
    monkeypatch.setattr(time, "time", lambda: real() + clock.wrong_by)
    return clock


@pytest.fixture
def sent(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    sent: list[str] = []
    monkeypatch.setattr(SteadyScheduler, "apply_entry", lambda _, entry, **__: sent.append(entry.name))
    monkeypatch.setattr(SteadyScheduler, "producer", None)
    return sent


def scheduler() -> SteadyScheduler:
    made = SteadyScheduler(application, lazy=True)
    made.update_from_dict({name: {"task": name, "schedule": every} for name, every in EVERY.items()})
    return made


def test_what_is_due_is_sent_and_the_rest_waited_for(clock: Clock, sent: list[str]) -> None:
    beat = scheduler()
    waits = []
    for _ in range(6):
        waits.append(beat.tick())
        clock.steady += waits[-1]
    assert waits == [15.0, 15.0, 10.0, 5.0, 15.0, 15.0]
    assert sent == ["sweep", "sweep", "retention", "sweep", "sweep"]


def test_a_clock_that_is_put_right_stops_nothing(clock: Clock, sent: list[str]) -> None:
    beat = scheduler()
    for wrong_by in (72 * 3_600.0, -24 * 3_600.0, 0.0):
        clock.wrong_by = wrong_by
        clock.steady += beat.tick()
    assert sent == ["sweep", "sweep"]


def test_after_a_long_sleep_each_is_sent_once(clock: Clock, sent: list[str]) -> None:
    beat = scheduler()
    beat.tick()
    clock.steady += 3_600
    assert beat.tick() == 15.0
    assert sent == ["sweep", "retention"]


def test_it_is_the_one_that_the_settings_name_and_all_entries_are_seconds_apart(settings: Any) -> None:
    assert f"{SteadyScheduler.__module__}:{SteadyScheduler.__name__}" == settings.CELERY_BEAT_SCHEDULER
    schedules = [entry["schedule"] for entry in settings.CELERY_BEAT_SCHEDULE.values()]
    assert all(isinstance(every, (int, float)) for every in schedules)
