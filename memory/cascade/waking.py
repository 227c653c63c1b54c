"""When a step may start: arithmetic over what waits, without a clock or a database of its own."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta

from memseek_site.product import WakingSettings


@dataclass(frozen=True, slots=True)
class Waiting:
    """What waits for a step: when the first and the last of its inputs arrived."""

    first: datetime
    last: datetime


@dataclass(frozen=True, slots=True)
class Circumstances:
    """What decides when a step starts."""

    now: datetime
    waiting: Waiting
    is_flushing: bool
    """A session or an import has ended: no waiting for more words."""
    is_urgent: bool
    """A person changed something and waits to see it followed."""
    is_upstream_busy: bool
    """The step before still has inputs and is not failing."""
    last_finished: datetime | None


def extract_due(seen: Circumstances, settings: WakingSettings) -> datetime:
    """l1_extract: a pause after the last message, never longer than a limit after the first."""
    if seen.is_flushing:
        return seen.now
    quiet = seen.waiting.last + timedelta(seconds=settings.quiet_seconds)
    latest = seen.waiting.first + timedelta(seconds=settings.latest_seconds)
    # Times of a clock that stood wrong must not put a step off for ever.
    return min(quiet, latest, seen.now + timedelta(seconds=settings.latest_seconds))


def synthesis_due(seen: Circumstances, settings: WakingSettings) -> datetime | None:
    """scene_synthesis: at once after a pause, and at most once in an interval while words keep coming.

    Between two sentences of a slow talk no message waits either: that no synthesis was needed for an interval
    is what tells that the entity is quiet.
    """
    return _unless_flushing(seen, settings.scene_interval_seconds)


def persona_due(seen: Circumstances, settings: WakingSettings) -> datetime | None:
    """persona: the same with an interval of its own."""
    return _unless_flushing(seen, settings.persona_interval_seconds)


def compaction_due(seen: Circumstances, settings: WakingSettings) -> datetime:
    """compaction: at once; whether a session is long enough was asked when its turn was stored."""
    return seen.now


def promotion_due(seen: Circumstances, settings: WakingSettings) -> datetime:
    """promotion: a while after the first atom that waits; a flush does it as soon as no message waits.

    Messages that nobody can read do not hold it up for longer than usual: the graph is the same in any order.
    """
    if seen.is_urgent or (seen.is_flushing and not seen.is_upstream_busy):
        return seen.now
    return min(seen.waiting.first, seen.now) + timedelta(seconds=settings.promotion_seconds)


def _unless_flushing(seen: Circumstances, interval_seconds: float) -> datetime | None:
    """After the interval; a person's change does not wait for it, nor does a flush, but for the step before.

    To take everything after the last of it was made gives the same memory whatever the timing. None until
    then: the end of the step before wakes this one.
    """
    if seen.is_flushing:
        return None if seen.is_upstream_busy else seen.now
    if seen.is_urgent:
        return seen.now
    return _after_interval(seen, interval_seconds)


def _after_interval(seen: Circumstances, seconds: float) -> datetime:
    if seen.last_finished is None:
        return seen.now
    return max(seen.now, min(seen.last_finished, seen.now) + timedelta(seconds=seconds))
