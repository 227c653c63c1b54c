"""Deadlines, pauses and what a provider asks for."""

from datetime import UTC, datetime

import pytest

from memory.llm.pacing import Deadline, Pace, retry_after_seconds


def test_pauses_grow_to_a_cap_and_end() -> None:
    pace = Pace(tries=5, first_pause_seconds=1, growth=4, longest_pause_seconds=10, jitter=lambda: 1.0)

    assert [pace.pause_seconds(tries, None) for tries in range(1, 6)] == [1, 4, 10, 10, None]


@pytest.mark.parametrize(("jitter", "pause"), [(0.0, 1.0), (0.5, 1.5), (1.0, 2.0)])
def test_the_second_half_of_a_pause_is_random(jitter: float, pause: float | None) -> None:
    assert Pace(first_pause_seconds=2, jitter=lambda: jitter).pause_seconds(1, None) == pause


@pytest.mark.parametrize(("wanted", "pause"), [(0.0, 0.0), (20.0, 20.0), (20.1, None)])
def test_a_wanted_pause_is_taken_up_to_the_cap(wanted: float, pause: float | None) -> None:
    assert Pace(longest_pause_seconds=20).pause_seconds(1, wanted) == pause


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({}, None),
        ({"retry-after": "7"}, 7.0),
        ({"retry-after": "0.5"}, 0.5),
        ({"retry-after": "Sun, 29 Nov 2026 10:00:30 GMT"}, 30.0),
        ({"retry-after": "Sun, 29 Nov 2026 09:00:00 GMT"}, 0.0),
        ({"retry-after": "soon"}, None),
        ({"retry-after": "-3"}, None),
        ({"retry-after": "nan"}, None),
        ({"retry-after": "9", "retry-after-ms": "250"}, 0.25),
    ],
)
def test_retry_after_is_read_in_all_its_forms(headers: dict[str, str], seconds: float | None) -> None:
    now = datetime(2026, 11, 29, 10, 0, tzinfo=UTC)

    assert retry_after_seconds(headers, lambda: now) == seconds


def test_a_part_of_a_deadline_ends_before_it() -> None:
    moments = [0.0]
    deadline = Deadline(90, lambda: moments[0])
    part = deadline.part(2 / 3)
    moments[0] = 60.0

    assert (part.is_over, deadline.is_over, deadline.remaining_seconds) == (True, False, 30.0)
