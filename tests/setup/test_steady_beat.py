"""The schedule of sweeps: by a clock that nobody can set."""

from __future__ import annotations

import time
from typing import Any

import pytest

from memseek_site.celery import application
from memseek_site.steady_beat import SteadyScheduler

EVERY = {"sweep": 15.0, "retention": 40.0}


class Clock:
    """The one that nobody can set."""

    def __init__(self) -> None:
        self.steady = 1_000.0


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock()
    monkeypatch.setattr(time, "monotonic", lambda: clock.steady)
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


def test_nobody_asks_for_the_time_of_day(
    clock: Clock, sent: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    beat = scheduler()

    def refuse(*_: Any, **__: Any) -> Any:
        raise AssertionError("asked for the time of day")

    monkeypatch.setattr(application, "now", refuse)
    monkeypatch.setattr(beat.Entry, "is_due", refuse)
    for _ in range(3):
        clock.steady += beat.tick()
    assert sent == ["sweep", "sweep"]


def test_the_time_that_sending_takes_is_no_pause(
    clock: Clock, sent: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    beat = scheduler()
    clock.steady += beat.tick()

    def send_slowly(_: Any, entry: Any, **__: Any) -> None:
        sent.append(entry.name)
        clock.steady += 10

    monkeypatch.setattr(SteadyScheduler, "apply_entry", send_slowly)
    assert beat.tick() == 5.0


def test_without_entries_and_with_a_shorter_sleep_it_goes_on(clock: Clock, sent: list[str]) -> None:
    nothing = SteadyScheduler(application, lazy=True)
    assert nothing.tick() == 300.0
    hurried = scheduler()
    hurried.max_interval = 1
    assert hurried.tick() == 1.0


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
