"""`python -m benchmarks.erasing`: how long erasing 10,000 messages takes, and who has to wait for it.

An entity with twice as many messages, an atom on each, lines, runs and search units; then the older half goes
by a period while two writers append twenty times a second, one to another entity of the workspace, one to a
session of the same entity that stays. Prints one JSON object: seconds of preview and erase, rows by
layer, and the longest time that each writer needed for one message meanwhile.
"""

from __future__ import annotations

import argparse
import json
import threading
import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

from benchmarks.installation import installation

if TYPE_CHECKING:
    from memory.models import Entity, Message

START = datetime(2026, 1, 1, tzinfo=UTC)
WORDS = (
    *(
        "harbour",
        "lantern",
        "meadow",
        "copper",
        "signal",
        "orchard",
        "velvet",
        "granite",
        "ribbon",
        "thunder",
    ),
    *("willow", "cabin", "compass", "ember", "falcon", "glacier", "hollow", "island", "juniper", "kettle"),
)
ATOMS_UNDER_A_LINE = 5
LINES_IN_A_SCENE = 100
AT_ONCE = 2_000
PAUSE_SECONDS = 0.05


def main() -> None:
    """Make the memory, erase, print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--messages", type=int, default=10_000)
    asked = parser.parse_args()
    with installation():
        print(json.dumps({"messages": asked.messages, **measured(asked.messages)}))


def measured(count: int) -> dict[str, Any]:
    """Seconds and counts of one erase of so many messages."""
    from memory.ingest.entities import ensure_entity
    from memory.ingest.workspaces import create_workspace
    from memory.stewardship.actors import Actor
    from memory.stewardship.erasing import Scope, erase, plan_erasure

    workspace = create_workspace(name=f"erasing-{time.time_ns()}").workspace
    entity = ensure_entity(workspace=workspace, name="agent.erased")
    others = [ensure_entity(workspace=workspace, name="agent.other"), entity]
    fill(entity, count)
    scope = Scope("period", until=START + timedelta(minutes=count))
    began = time.perf_counter()
    plan = plan_erasure(entity=entity, scope=scope, actor=Actor(name="benchmark"))
    planned = time.perf_counter() - began
    with writing(others) as waits:
        began = time.perf_counter()
        done = erase(erasure=plan, actor=Actor(name="benchmark"))
        erased = time.perf_counter() - began
    return {
        "preview_seconds": round(planned, 2),
        "erase_seconds": round(erased, 2),
        "longest_write_of_another_entity_seconds": round(max(waits["agent.other"]), 3),
        "longest_write_of_the_same_entity_seconds": round(max(waits["agent.erased"]), 3),
        "writes": {name: len(times) for name, times in waits.items()},
        "counts": done.counts,
    }


def fill(entity: Entity, count: int) -> None:
    """Twice as many messages, the later half of which stays, each with an atom; scenes, runs, units."""
    from django.db import transaction

    from memory import queries
    from memory.indexing.step import index_entity
    from memory.models import Message, Session

    sessions = Session.objects.bulk_create(
        Session(workspace_id=entity.workspace_id, entity=entity, external_id=f"s{n}", next_ordinal=1_000)
        for n in range(-(-2 * count // 1_000))
    )
    numbers = range(2 * count)
    for start in numbers[::AT_ONCE]:
        with transaction.atomic():
            part = [said(entity, sessions[n // 1_000], n) for n in numbers[start : start + AT_ONCE]]
            derive(entity, Message.objects.bulk_create(part))
    while index_entity(entity_id=entity.pk):
        pass
    # As autovacuum does a minute after so many rows came in; without it foreign keys are looked up badly.
    with queries.owner_cursor() as cursor:
        cursor.execute("ANALYZE")


def said(entity: Entity, session: Any, number: int) -> Message:
    """One message with words of its own and common ones."""
    from memory.models import Message
    from memory.models.base import new_id

    return Message(
        workspace_id=entity.workspace_id,
        entity=entity,
        session=session,
        ordinal=number % 1_000,
        role="user",
        speaker="Alice",
        text=f"The {WORDS[number % 20]} of {WORDS[number % 19]} has the number {number}, marked q{number}x.",
        occurred_at=START + timedelta(minutes=number),
        content_hash=number.to_bytes(32, "big"),
        dedupe_key=f"k{number}",
        consumed_by_id=new_id(),
    )


def derive(entity: Entity, messages: list[Message]) -> None:
    """An atom for each message, a line for five atoms, a scene for a hundred lines, a run for the whole."""
    from memory.models import Atom, Chain, Evidence, Run
    from memory.models.base import new_id

    owner: dict[str, Any] = {"workspace_id": entity.workspace_id, "entity": entity}
    chains = Chain.objects.bulk_create(Chain(**owner) for _ in messages)
    run = Run.objects.create(
        **owner,
        step="l1_extract",
        status="succeeded",
        finished_at=START,
        inputs={"messages": [str(message.pk) for message in messages]},
    )
    atoms = Atom.objects.bulk_create(
        Atom(
            **owner,
            chain=chain,
            text=f"Claim: {message.text}",
            kind="episodic",
            priority=50,
            topic=WORDS[message.ordinal % 20],
            occurred_at=message.occurred_at,
            last_seen_at=message.occurred_at,
            consumed_by_id=new_id(),
            run=run,
        )
        for chain, message in zip(chains, messages, strict=True)
    )
    Evidence.objects.bulk_create(
        Evidence(**owner, of_atom=atom, message=message)
        for atom, message in zip(atoms, messages, strict=True)
    )
    place(owner, atoms)


def place(owner: dict[str, Any], atoms: list[Any]) -> None:
    """Lines on the atoms, in scenes that have been retired, since no more than fifteen may be live."""
    from memory.models import Evidence, Line, Scene, SceneVersion, VersionLine
    from memory.models.base import new_id

    groups = [atoms[start : start + ATOMS_UNDER_A_LINE] for start in range(0, len(atoms), ATOMS_UNDER_A_LINE)]
    for start in range(0, len(groups), LINES_IN_A_SCENE):
        scene = Scene.objects.create(**owner, slug=new_id().hex[-12:], status="retired")
        version = SceneVersion.objects.create(
            **owner, scene=scene, number=1, title="Scene", consumed_by_id=new_id()
        )
        part = groups[start : start + LINES_IN_A_SCENE]
        lines = Line.objects.bulk_create(
            Line(**owner, scene=scene, section="work_context", text=group[0].text) for group in part
        )
        VersionLine.objects.bulk_create(
            VersionLine(**owner, version=version, line=line, position=position)
            for position, line in enumerate(lines)
        )
        Evidence.objects.bulk_create(
            Evidence(**owner, of_line=line, atom=atom)
            for line, group in zip(lines, part, strict=True)
            for atom in group
        )


class writing:  # noqa: N801  # a context manager in use, like open()
    """Writes messages of some entities, each in its thread, one after another for as long as it is open."""

    def __init__(self, entities: list[Entity]) -> None:
        self._ended = threading.Event()
        self._waits: dict[str, list[float]] = {entity.name: [] for entity in entities}
        self._threads = [threading.Thread(target=self._write, args=(entity,)) for entity in entities]

    def __enter__(self) -> dict[str, list[float]]:
        for thread in self._threads:
            thread.start()
        time.sleep(0.5)
        return self._waits

    def __exit__(self, *error: object) -> None:
        self._ended.set()
        for thread in self._threads:
            thread.join()

    def _write(self, entity: Entity) -> None:
        from django.db import connection

        from memory.ingest.incoming import IncomingMessage
        from memory.ingest.messages import append_messages

        for number in self._numbers():
            message = IncomingMessage(session="live", role="user", text=f"Live {number}.")
            began = time.perf_counter()
            append_messages(entity=entity, messages=[message])
            self._waits[entity.name].append(time.perf_counter() - began)
            # They share a process with the erase: without a pause they would mostly measure each other.
            self._ended.wait(PAUSE_SECONDS)
        connection.close()

    def _numbers(self) -> Iterator[int]:
        number = 0
        while not self._ended.is_set():
            yield number
            number += 1


if __name__ == "__main__":
    main()
