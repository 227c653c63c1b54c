"""What the pages show besides atoms and scenes: the runs that made them, a procedure, a visitor's memory."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import timedelta
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from uuid import UUID

    from memory.models import Entity, Run

MESSAGES_OF_A_RUN = 25
SCENES_EVERY, PERSONA_EVERY = 2, 10
"""A run of scenes after so many of atoms, and one of the persona."""
SAID_BY_A_VISITOR = 8


def add_runs(entity: Entity) -> int:
    """Record the runs that would have read all messages and written all atoms; how many they are."""
    from django.db import connection

    from memory.models import Run

    runs = list(_runs(entity))
    Run.objects.bulk_create(runs, batch_size=500)
    owner = {"entity": entity.pk}
    with connection.cursor() as cursor:
        for table, column, kind in (
            ("message", "consumed_by_id", "inputs -> 'messages'"),
            ("atom", "run_id", "outputs -> 'atoms'"),
        ):
            cursor.execute(
                f"UPDATE memory_{table} SET {column} = run.id "  # noqa: S608  # names of this file
                f"FROM memory_run run CROSS JOIN LATERAL jsonb_array_elements_text(run.{kind}) noted "
                f"WHERE run.entity_id = %(entity)s AND memory_{table}.id = noted::uuid",
                owner,
            )
    return len(runs)


def _runs(entity: Entity) -> Iterator[Run]:
    """In the order in which a cascade would have finished them."""
    from memory.models import Evidence, SceneVersion, Step

    pairs: list[tuple[UUID, UUID, Any]] = list(
        Evidence.objects.filter(entity=entity, of_atom__isnull=False, message__isnull=False)
        .order_by("message__seq")
        .values_list("message_id", "of_atom_id", "message__occurred_at")
    )
    versions = list(SceneVersion.objects.for_entity(entity).values_list("pk", flat=True))
    for number, start in enumerate(range(0, len(pairs), MESSAGES_OF_A_RUN), start=1):
        batch = pairs[start : start + MESSAGES_OF_A_RUN]
        atoms = [str(atom) for _, atom, _ in batch]
        yield _run(
            entity,
            Step.L1_EXTRACT,
            batch[-1][2],
            inputs={"messages": [str(message) for message, _, _ in batch]},
            outputs={"atoms": atoms},
            decisions=[
                {"outcome": "store", "atoms": [atom], "messages": [str(message)]}
                for atom, (message, _, _) in zip(atoms, batch, strict=True)
            ],
        )
        if number % SCENES_EVERY == 0:
            written = _written(versions, number)
            yield _run(
                entity,
                Step.SCENE_SYNTHESIS,
                batch[-1][2] + timedelta(seconds=20),
                inputs={"atoms": atoms},
                outputs={"scene_versions": written},
            )
        if number % PERSONA_EVERY == 0:
            yield _run(
                entity,
                Step.PERSONA,
                batch[-1][2] + timedelta(seconds=40),
                inputs={"scene_versions": _written(versions, number)},
            )


def _written(versions: Sequence[UUID], number: int) -> list[str]:
    return [str(versions[number % len(versions)])]


def _run(entity: Entity, step: str, finished_at: Any, **noted: Any) -> Run:
    from memory.models import Run

    return Run(
        workspace_id=entity.workspace_id,
        entity=entity,
        step=step,
        status=Run.Status.SUCCEEDED,
        model="benchmark",
        tokens_in=2_000,
        tokens_out=300,
        milliseconds=900,
        started_at=finished_at - timedelta(seconds=1),
        finished_at=finished_at,
        **noted,
    )


def add_procedure(entity: Entity) -> UUID:
    """Draft one from two traces, approve, use and criticise it; its id."""
    from memory.models import ProcedureVersion
    from memory.skills.review import approve
    from tests.showcase.skills.looping import learn, use_and_say
    from tests.skills.skilled import PERSON, trace

    for _ in range(2):
        trace(entity)
    learn(entity)
    draft = (
        ProcedureVersion.objects.drafts().select_related("procedure__entity__workspace").get(entity=entity)
    )
    version = approve(draft=draft, actor=PERSON, base=None)
    use_and_say(version)
    learn(entity)
    return version.procedure_id


def fill_sandbox(entity: Entity) -> None:
    """A visitor says something more, and the cascade settles."""
    from memory.cascade.engine import settle_entity
    from memory.indexing.step import index_entity
    from memory.ingest.sandbox import say

    for number in range(1, SAID_BY_A_VISITOR):
        say(entity=entity, text=f"Never touch cabinet {number} before {number + 3} May.")
    settle_entity(entity)
    index_entity(entity_id=entity.pk)
