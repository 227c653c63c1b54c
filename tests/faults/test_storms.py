"""A site of real processes under load, and what befalls it: nothing that was accepted is lost or doubled."""

from __future__ import annotations

import random
import time
from collections import Counter
from collections.abc import Callable, Iterator
from datetime import timedelta
from functools import partial

import pytest
from django.db.models import F
from django.db.models.functions import Now

from memory.cascade.work import INPUTS, retry_parked
from memory.ingest.incoming import IncomingMessage
from memory.ingest.messages import append_messages
from memory.models import Message, Run, Step, Work
from tests.faults.counting import LEAST_REQUESTS, Record, tell_of
from tests.faults.disk import fill, small_disk, tables_on
from tests.faults.load import EVEN, Load, under_load
from tests.faults.measures import BAD_MODEL_SECONDS, ROUNDS
from tests.faults.moods import Mood, hanging, raving, refusing, well
from tests.faults.site import Site, patiently
from tests.faults.strikes import FAULTS, Fault
from tests.setup.commands import wait_until
from tests.stub_provider import StubProvider

pytestmark = pytest.mark.slow

LONGEST_CALM_SECONDS = 0.5
HOUR = 3_600
JUMPS = (72 * HOUR, -24 * HOUR, 2 * HOUR, -2 * HOUR, 0)
"""How far the clock is from the right time, in seconds."""
SWEEP = "Sending due task sweep"
LOST = IncomingMessage(session="lost", role="user", text="My boat is green.")


@pytest.fixture(autouse=True)
def recovery(provider: StubProvider) -> Iterator[None]:
    """The model is well again when a test is over."""
    yield
    provider.respond = well


def calm(chance: random.Random) -> None:
    """A while in which nothing happens; not to wait for anything: the blow is to fall at any moment."""
    time.sleep(chance.uniform(0, LONGEST_CALM_SECONDS))


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.name.replace(" ", "-"))
def test_a_storm(fault: Fault, site: Site, record_property: Record) -> None:
    chance = random.Random(fault.name)
    starts = site.starts
    hits: list[int] = []
    with under_load(site, fault.name, requests=LEAST_REQUESTS) as load:
        while len(hits) < ROUNDS:
            calm(chance)
            hits.append(fault.strike(site, chance))
    restarts = site.starts - starts
    told = f"{len(hits)} strikes at {sum(hits)} {fault.hits}, {restarts} restarts"
    tell_of(fault.name, told, load, record_property)
    assert patiently(load.balance) == EVEN


@pytest.mark.parametrize("make_mood", [hanging, refusing, raving])
def test_a_model_that(
    make_mood: Callable[[], Mood], site: Site, provider: StubProvider, record_property: Record
) -> None:
    provider.respond = mood = make_mood()
    with under_load(site, mood.name, requests=LEAST_REQUESTS) as load:
        began = time.monotonic()
        wait_until(lambda: failures(load).total() >= len(load.entities))
        wait_until(lambda: time.monotonic() - began > BAD_MODEL_SECONDS, seconds=120)
        mood.is_well = True
        brought_back = bring_back(load)
    seen = failures(load)
    assert mood.kinds >= seen.keys() if mood.kinds else seen
    told = ", ".join(f"{count} × {kind}" for kind, count in sorted(seen.items()))
    hits = f"{mood.bad_answers} bad answers, failed runs {told}, {brought_back} parked inputs brought back"
    tell_of(mood.name, hits, load, record_property)
    assert patiently(load.balance) == EVEN


def failures(load: Load) -> Counter[str]:
    """Kinds of failed runs."""
    rows = Run.objects.filter(workspace=load.owner, status=Run.Status.FAILED)
    return Counter(rows.values_list("error_kind", flat=True))


def bring_back(load: Load) -> int:
    """What a person does in the admin, and no waiting for the next try; gives how many inputs were parked."""
    count = sum(retry_parked(entity=entity, step=step) for entity in load.entities for step in INPUTS)
    rows = Work.objects.filter(workspace=load.owner, due_at__gt=Now(), lease_until__isnull=True)
    rows.update(due_at=Now())
    return count


def test_a_worker_whose_clock_jumps(site: Site, record_property: Record) -> None:
    clock = site.folder / "clock"
    clock.write_text("0")
    site.kill_worker()
    site.start_worker(clock=clock)
    chance = random.Random("clock")
    jumps: list[int] = []
    with under_load(site, "clock jumps", requests=LEAST_REQUESTS) as load:
        while len(jumps) < ROUNDS:
            calm(chance)
            jumps.append(JUMPS[len(jumps) % len(JUMPS)])
            clock.write_text(str(jumps[-1]))
    site.kill_worker()
    site.start_worker()
    told = ", ".join(f"{jump // HOUR:+} h" for jump in jumps)
    tell_of("worker's clock jumps", f"{len(jumps)} jumps, to {told}", load, record_property)
    assert patiently(load.balance) == EVEN


def test_a_worker_whose_clock_was_put_right_sweeps_as_before(site: Site, record_property: Record) -> None:
    """The schedule is days ahead when the clock goes back, and then a wake-up is lost."""
    clock = site.folder / "clock"
    clock.write_text(str(72 * HOUR))
    site.kill_worker()
    swept = site.told(SWEEP)
    site.start_worker(clock=clock)
    wait_until(lambda: site.told(SWEEP) > swept, seconds=60)
    clock.write_text("0")
    with under_load(site, "clock went back", requests=LEAST_REQUESTS) as load:
        pass
    tell_of("worker's clock put right", "a wake-up lost behind three days", load, record_property)
    entity = load.entities[0]
    append_messages(entity=entity, messages=[LOST], wake=False)
    Work.objects.filter(entity=entity, step=Step.L1_EXTRACT).update(due_at=Now())
    site.rest()
    assert not Message.objects.for_entity(entity).pending().exists()
    site.kill_worker()
    site.start_worker()


def test_times_that_a_wrong_clock_left_behind(site: Site, record_property: Record) -> None:
    """The database's clock stood days ahead while work was claimed and planned, and was then put right."""
    ahead = Now() + timedelta(days=3)
    with under_load(site, "clock put right", requests=LEAST_REQUESTS) as load:
        site.kill_worker()
        rows = Work.objects.filter(workspace=load.owner)
        leased = rows.filter(step=Step.L1_EXTRACT).update(
            due_at=None, lease_until=ahead, token=F("token") + 1, last_started_at=ahead
        )
        planned = rows.exclude(step=Step.L1_EXTRACT).update(due_at=ahead, last_finished_at=ahead)
        site.start_worker()
    hits = f"{leased} leases and {planned} planned times three days ahead"
    tell_of("database's clock put right", hits, load, record_property)
    assert patiently(load.balance) == EVEN


def test_a_disk_that_is_full_for_a_while(site: Site, record_property: Record) -> None:
    with small_disk() as folder, tables_on(folder):
        filler = folder.parent / "filler"
        with under_load(site, "disk full", requests=LEAST_REQUESTS, filling=7_000) as load:
            for _ in range(ROUNDS):
                fill(filler)
                wait_until(partial(load.is_refused_more_than, load.refusals))
                filler.unlink()
    tell_of("disk full", f"{ROUNDS} times", load, record_property)
    assert patiently(load.balance) == EVEN
