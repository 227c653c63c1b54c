"""Tables with so many rows that reading one whole costs more than an index: one memory beside much more."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from django.db import transaction

from memory import queries
from memory.ingest.workspaces import create_key
from memory.models import (
    Atom,
    Chain,
    Entity,
    Evidence,
    Key,
    Message,
    Outbox,
    RecordCount,
    Step,
    Unindexed,
    Unpromoted,
    Work,
)
from memory.models.base import new_id
from tests.factories import make_entity, make_session, make_workspace

OWN = 150
BESIDE = 3_600
SESSIONS = 10
WAITING = 25
RULES = 25
IDLE = 300
LARGE = frozenset(
    f"memory_{name}" for name in ("message", "atom", "evidence", "outbox", "work", "key", "recordcount")
)
"""The tables that have many rows then."""


@dataclass(frozen=True, slots=True)
class Large:
    """A memory among much more, and a key of its workspace."""

    entity: Entity
    token: str


def make_large() -> Large:
    """Written and analysed; to be called outside of transactions, and to be removed by `remove`."""
    entity, other = (make_entity(name, workspace=make_workspace(name)) for name in ("large", "beside"))
    for owner, rows in ((entity, OWN), (other, BESIDE)):
        with transaction.atomic():
            _fill(owner, rows)
    _fill_beside(other)
    token = create_key(workspace=entity.workspace, label="large").token
    with queries.owner_cursor() as cursor:
        cursor.execute(f"VACUUM ANALYZE {', '.join(LARGE)}, memory_entity")
    return Large(entity, token)


def remove() -> None:
    """Everything of both workspaces."""
    for name in ("large", "beside"):
        make_workspace(name).delete()


def _fill(entity: Entity, rows: int) -> None:
    owner: dict[str, Any] = {"workspace_id": entity.workspace_id, "entity": entity}
    sessions = [make_session(entity, f"session {number}") for number in range(SESSIONS)]
    messages = Message.objects.bulk_create(
        Message(
            **owner,
            session=sessions[number % SESSIONS],
            ordinal=number // SESSIONS,
            role="user",
            text=f"word {number}",
            content_hash=b"-",
            consumed_by_id=None if number < WAITING else new_id(),
        )
        for number in range(rows)
    )
    chains = Chain.objects.bulk_create(Chain(**owner) for _ in range(rows))
    atoms = Atom.objects.bulk_create(
        Atom(
            **owner,
            chain=chain,
            text=f"claim {number}",
            kind="instruction" if number < RULES else "episodic",
            priority=80 if number < RULES else 50,
            consumed_by_id=new_id(),
        )
        for number, chain in enumerate(chains)
    )
    Evidence.objects.bulk_create(
        Evidence(**owner, of_atom=atom, message=message)
        for atom, message in zip(atoms, messages, strict=True)
    )
    Outbox.objects.bulk_create(Outbox(**owner, event="message.stored") for _ in range(rows))
    for waiting in (Unindexed, Unpromoted):
        waiting.objects.for_entity(entity).delete()


def _fill_beside(beside: Entity) -> None:
    """Entities that have nothing to do, what was counted of them, and keys."""
    idle = Entity.objects.bulk_create(
        Entity(workspace=beside.workspace, name=f"idle {number}") for number in range(IDLE)
    )
    Work.objects.bulk_create(
        Work(workspace_id=beside.workspace_id, entity=entity, step=step) for entity in idle for step in Step
    )
    RecordCount.objects.bulk_create(
        RecordCount(
            workspace_id=beside.workspace_id, entity=idle[number % IDLE], layer=0, heads=0, versions=0
        )
        for number in range(BESIDE)
    )
    Key.objects.bulk_create(
        Key(workspace=beside.workspace, label="one", prefix="m", digest=f"{number:064}", scopes=["read"])
        for number in range(BESIDE)
    )
