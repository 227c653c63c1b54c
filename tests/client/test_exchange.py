"""Retries, driven by hand: no network, no clock."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from typing import Any

import pytest

from memory.client import errors
from memory.client.exchange import Limits, Pause, Reply, Request, exchange, failure_of

ASKED = Request("GET", "health")
GOOD = Reply(200, {}, b"{}")


class Clock:
    """Goes on when told to."""

    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


def driven(*outcomes: Reply | Exception, **limits: Any) -> tuple[list[float], list[float], Reply | Exception]:
    """Seconds allowed for each attempt, the pauses between them, and how it ended."""
    clock = Clock()
    flow = exchange(ASKED, Limits(clock=clock, chance=lambda: 1.0, **limits))
    rest, attempts, pauses = list(outcomes), [], []
    try:
        step = next(flow)
        while True:
            if isinstance(step, Pause):
                pauses.append(step.seconds)
                clock.now += step.seconds
                step = flow.send(None)
                continue
            attempts.append(step.seconds)
            outcome = rest.pop(0)
            step = flow.throw(outcome) if isinstance(outcome, Exception) else flow.send(outcome)
    except StopIteration as end:
        return attempts, pauses, end.value
    except errors.MemseekError as error:
        return attempts, pauses, error


def reply(status: int, **headers: str) -> Reply:
    return Reply(status, {name.replace("_", "-"): value for name, value in headers.items()}, b"{}")


def lost() -> errors.UnreachableError:
    return errors.UnreachableError("lost")


@pytest.mark.parametrize("failure", [lost(), reply(408), reply(429), reply(502), reply(503), reply(504)])
def test_what_passes_is_tried_again(failure: Reply | Exception) -> None:
    assert driven(failure, GOOD) == ([30.0, 30.0], [0.25], GOOD)


@pytest.mark.parametrize("status", [301, 400, 401, 403, 404, 409, 413, 500, 501])
def test_what_stays_is_told_at_once(status: int) -> None:
    attempts, pauses, outcome = driven(reply(status))
    assert (len(attempts), pauses) == (1, [])
    assert isinstance(outcome, errors.MemseekError)
    assert outcome.status == status


def test_pauses_grow_and_the_attempts_have_an_end() -> None:
    failures = [lost() for _ in range(5)]
    assert driven(*failures) == ([30.0] * 5, [0.25, 0.5, 1.0, 2.0], failures[-1])


def test_pauses_are_spread() -> None:
    flow = exchange(ASKED, Limits(chance=lambda: 0.0))
    next(flow)
    assert flow.throw(lost()) == Pause(0.125)


def test_the_server_says_when_to_come_back() -> None:
    _, pauses, outcome = driven(reply(429, retry_after="7"), GOOD)
    assert (pauses, outcome) == ([7.0], GOOD)


def test_a_pause_beyond_the_total_time_is_not_waited_for() -> None:
    _, pauses, outcome = driven(reply(429, retry_after="3600"), GOOD)
    assert pauses == []
    assert isinstance(outcome, errors.RateLimitedError)
    assert outcome.retry_after == 3600.0


def test_the_total_time_cuts_the_attempts_short() -> None:
    attempts, _, _ = driven(reply(503, retry_after="50"), GOOD)
    assert attempts == [30.0, 10.0]


def test_a_date_in_retry_after_is_read() -> None:
    later = datetime.now(UTC) + timedelta(hours=1)
    told = failure_of(reply(503, retry_after=format_datetime(later, usegmt=True))).retry_after
    assert told is not None
    assert 3500 < told <= 3600


@pytest.mark.parametrize("header", ["", "soon", "-5", "1e9", "٣"])
def test_another_retry_after_is_none(header: str) -> None:
    assert failure_of(reply(503, retry_after=header)).retry_after is None


@pytest.mark.parametrize(
    ("status", "kind"),
    [
        (401, errors.UnauthorisedError),
        (403, errors.UnauthorisedError),
        (404, errors.NotFoundError),
        (409, errors.ConflictError),
        (400, errors.RefusedError),
        (413, errors.RefusedError),
        (429, errors.RateLimitedError),
        (500, errors.ServerError),
        (503, errors.ServerError),
        (302, errors.RedirectedError),
    ],
)
def test_each_status_has_its_class(status: int, kind: type[Exception]) -> None:
    assert type(failure_of(reply(status))) is kind


def test_an_error_tells_what_the_server_said() -> None:
    body = (
        b'{"error": "invalid", "detail": "text: is blank.", "problems": [{"index": 0, "field": "text"}, 7]}'
    )
    error = failure_of(Reply(400, {}, body))
    assert (str(error), error.status, error.error, error.detail, error.problems) == (
        "400 invalid: text: is blank.",
        400,
        "invalid",
        "text: is blank.",
        ({"index": 0, "field": "text"},),
    )


@pytest.mark.parametrize("body", [b"<html>", b"[1]", b"", b"\xff"])
def test_a_strange_body_is_no_second_error(body: bytes) -> None:
    assert str(failure_of(Reply(502, {}, body))) == "502: The server answered 502."
