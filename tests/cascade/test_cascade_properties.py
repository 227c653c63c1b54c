"""Whatever a model answers and in whatever order words arrive, memory stays whole and nothing is lost."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Any
from uuid import uuid4

import pytest
from django.conf import settings
from django.db.models import Count, F, Max, Q
from django.db.models.functions import Now
from django.test import override_settings
from hypothesis import HealthCheck, given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from memory.cascade import work
from memory.cascade.engine import settle_entity
from memory.ingest.incoming import IncomingMessage
from memory.ingest.messages import append_messages
from memory.llm.protocol import Model
from memory.models import (
    Atom,
    Chain,
    Entity,
    Evidence,
    Message,
    Run,
    Scene,
    SceneVersion,
    Step,
    TraitVersion,
    Work,
)
from memory.stewardship.verify import verify
from tests.cascade.chaos import MOODS, ChaoticModel, GoodModel, Killed
from tests.cascade.story import START, an_entity, answer, create, say, settle, store

pytestmark = pytest.mark.django_db

PROPERTY = hypothesis_settings(
    max_examples=12, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)


@dataclass(frozen=True)
class Said:
    """One message: of which session and role, about which matter, when."""

    session: str
    role: str
    matter: int
    value: int
    minute: int | None

    @property
    def text(self) -> str:
        return f"Matter {self.matter} has value {self.value}."


said = st.builds(
    Said,
    session=st.sampled_from("ab"),
    role=st.sampled_from(("user", "user", "assistant", "tool", "system")),
    matter=st.integers(1, 18),
    value=st.integers(1, 4),
    minute=st.one_of(st.none(), st.integers(0, 5)),
)
moods = st.lists(st.sampled_from(sorted(MOODS)), min_size=1, max_size=12)
visits = st.lists(st.tuples(st.lists(said, max_size=8), moods), min_size=1, max_size=4)


@given(visits=visits, seed=st.integers(0, 2**32))
@PROPERTY
def test_memory_stays_whole_under_every_kind_of_answer_and_in_the_end_everything_is_read(
    visits: list[tuple[list[Said], list[str]]], seed: int
) -> None:
    entity = an_entity(f"agent.{uuid4().hex}")
    count = 0
    with without_pauses():
        for number, (told, chosen) in enumerate(visits):
            hear(entity, told)
            count += len(told)
            visit(entity, ChaoticModel(chosen, seed + number))
            assert_whole(entity, count)
        let_time_pass(entity)
        for step in Step:
            work.retry_parked(entity=entity, step=step)
        settle_entity(entity, model=GoodModel())
    assert_whole(entity, count)
    assert verify(entity, is_settled=True) == []
    read = Message.objects.for_entity(entity).filter(is_extractable=True)
    assert set(read.values_list("consumed_by__status", flat=True)) <= {"succeeded"}


@contextmanager
def without_pauses() -> Iterator[None]:
    waking = replace(
        settings.MEMSEEK.waking,
        quiet_seconds=0.0,
        latest_seconds=0.0,
        scene_interval_seconds=0.0,
        persona_interval_seconds=0.0,
        retry_seconds=(0.0,),
    )
    with override_settings(MEMSEEK=replace(settings.MEMSEEK, waking=waking)):
        yield


def hear(entity: Entity, told: list[Said]) -> None:
    for entry in told:
        message = IncomingMessage(
            session=entry.session,
            role=entry.role,  # type: ignore[arg-type]
            text=entry.text,
            occurred_at=None if entry.minute is None else START + timedelta(minutes=entry.minute),
            dedupe_key=uuid4().hex,
        )
        append_messages(entity=entity, messages=[message])


def visit(entity: Entity, model: Model) -> None:
    """Let workers work, several times; one that is killed leaves its lease, which then runs out."""
    for _ in range(3):
        with suppress(Killed):
            settle_entity(entity, model=model, timeout_seconds=5.0)
        let_time_pass(entity)


def let_time_pass(entity: Entity) -> None:
    """Pauses are over and leases of the dead have run out."""
    rows = Work.objects.filter(entity=entity)
    rows.filter(lease_until__isnull=False).update(lease_until=Now() - timedelta(seconds=1), due_at=Now())
    rows.filter(due_at__isnull=False).update(due_at=Now())


def assert_whole(entity: Entity, count: int) -> None:
    """What holds at every moment between two runs."""
    mistakes = (
        Run.objects.for_entity(entity).filter(error_kind="internal").values_list("error_text", flat=True)
    )
    assert list(mistakes) == []
    assert verify(entity) == []
    assert Message.objects.for_entity(entity).count() == count
    assert _consumed_by_other_than_success(entity) == []
    live = Count("atoms", filter=Q(atoms__status="live"))
    assert set(Chain.objects.for_entity(entity).annotate(live=live).values_list("live", flat=True)) <= {1}
    assert Scene.objects.for_entity(entity).live().count() <= 15
    assert _gaps(entity) == []
    assert _unfinished(entity) == []
    assert _undecided(entity) == set()
    assert _too_long(entity) == []


def _consumed_by_other_than_success(entity: Entity) -> list[Any]:
    found: list[Any] = []
    for model in (Message, Atom, SceneVersion):
        rows = model.objects.for_entity(entity).filter(consumed_by__isnull=False)
        # Parking ends the scenes it empties: nobody looks at their last version any more.
        known = ["succeeded", "failed"] if model is SceneVersion else ["succeeded"]
        found += rows.exclude(consumed_by__status__in=known).values_list("pk", flat=True)
    return found


def _gaps(entity: Entity) -> list[Any]:
    """Histories that do not count 1, 2, 3 … or do not have exactly one head, the last one."""
    found: list[Any] = []
    for owner, model in (("scene", SceneVersion), ("trait", TraitVersion)):
        histories = (
            model.objects.for_entity(entity)
            .values(owner)
            .annotate(
                count=Count("pk"),
                last=Max("number"),
                heads=Count("pk", filter=Q(is_head=True)),
                head=Max("number", filter=Q(is_head=True)),
            )
        )
        found += histories.exclude(count=F("last"), heads=1, head=F("last"))
    return found


def _unfinished(entity: Entity) -> list[Any]:
    """Runs that nobody will finish: all but the one whose lease has not been taken over."""
    leased = Work.objects.filter(entity=entity, lease_until__isnull=False).values("step")
    running = Run.objects.for_entity(entity).filter(status="running").exclude(step__in=leased)
    return list(running.values_list("pk", flat=True))


def _undecided(entity: Entity) -> set[str]:
    """Atoms written by a run that does not say why."""
    runs = Run.objects.for_entity(entity).filter(step=Step.L1_EXTRACT, status="succeeded")
    written: set[str] = set()
    decided: set[str] = set()
    for run in runs:
        written.update(run.outputs.get("atoms", []))
        decided.update(atom for entry in run.decisions for atom in entry.get("atoms", []))
    stored = {str(pk) for pk in Atom.objects.for_entity(entity).values_list("pk", flat=True)}
    assert written == stored
    return written - decided


def _too_long(entity: Entity) -> list[Any]:
    heads = SceneVersion.objects.for_entity(entity).live()
    return [head.pk for head in heads if sum(len(line.text) for line in head.lines.all()) > 6_000]


places = st.lists(st.integers(1, 6), unique=True, max_size=6)


@given(replaced=places, removed=places, added=st.integers(0, 3))
@PROPERTY
def test_random_edits_leave_every_other_line_the_same_row_with_the_same_receipts(
    replaced: list[int], removed: list[int], added: int
) -> None:
    entity = an_entity(f"agent.{uuid4().hex}")
    texts = [f"Statement {number} holds." for number in range(1, 7)]
    say(entity, *texts)
    settle(
        entity,
        answer(*(store(text, f"m{n}", topic="work") for n, text in enumerate(texts, 1))),
        answer(create("Work", *(("core_sop", text, [f"a{n}"]) for n, text in enumerate(texts, 1)))),
    )
    before = _head_lines(entity)
    removed = [number for number in removed if number not in replaced]
    say(entity, "Statement 7 holds.")
    lines = [
        *(
            {
                "op": "replace",
                "line": f"s1.l{n}",
                "section": "core_sop",
                "text": "Statement 7 holds.",
                "atoms": ["a1"],
            }
            for n in replaced
        ),
        *({"op": "remove", "line": f"s1.l{n}"} for n in removed),
        *(
            {"op": "add", "section": "open_questions", "text": f"Statement 7 holds{'.' * n}", "atoms": ["a1"]}
            for n in range(added)
        ),
    ]
    edit = {"action": "update", "scene": "s1", "lines": lines}
    settle(
        entity,
        answer(store("Statement 7 holds.", topic="work")),
        scene_synthesis=answer(*([edit] if lines else [])),
    )
    after = _head_lines(entity)
    touched = {texts[number - 1] for number in (*replaced, *removed)}
    kept = {text: row for text, row in before.items() if text not in touched}
    assert {text: row for text, row in after.items() if text in kept} == kept
    assert not touched & set(after)


def _head_lines(entity: Entity) -> dict[str, tuple[Any, tuple[Any, ...]]]:
    """By text: the line's id and the ids of its receipts."""
    return {
        line.text: (
            line.pk,
            tuple(Evidence.objects.filter(of_line=line).order_by("pk").values_list("pk", flat=True)),
        )
        for head in SceneVersion.objects.for_entity(entity).live()
        for line in head.lines.all()
    }
