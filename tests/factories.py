"""Rows for tests, built from the words up so that they satisfy every constraint of the database.

What stands here has been through the cascade: inputs are consumed unless a test asks for pending ones.
"""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

from memory.models import (
    Atom,
    Authority,
    Chain,
    Entity,
    Evidence,
    Line,
    Message,
    Run,
    Scene,
    SceneVersion,
    Session,
    Step,
    Trait,
    TraitVersion,
    VersionLine,
    Workspace,
)
from memory.models.base import new_id

SAID_AT = datetime(2026, 6, 2, 9, 0, tzinfo=UTC)


@dataclass(frozen=True)
class NewLine:
    """A line to be written: its section, its text, and the atoms it rests on."""

    section: str
    text: str
    atoms: Sequence[Atom]


def make_workspace(name: str = "demo") -> Workspace:
    return Workspace.objects.get_or_create(name=name)[0]


def make_entity(
    name: str = "agent.alice-test", *, workspace: Workspace | None = None, time_zone: str = "UTC"
) -> Entity:
    return Entity.objects.create(workspace=workspace or make_workspace(), name=name, time_zone=time_zone)


def make_session(entity: Entity, external_id: str = "first", title: str = "") -> Session:
    return Session.objects.get_or_create(
        entity=entity, external_id=external_id, defaults={"workspace_id": entity.workspace_id, "title": title}
    )[0]


def make_run(entity: Entity, step: Step = Step.L1_EXTRACT, **values: Any) -> Run:
    """A run that succeeded, unless the values say something else."""
    finished = {"status": Run.Status.SUCCEEDED, "finished_at": SAID_AT} | values
    return Run.objects.create(workspace_id=entity.workspace_id, entity=entity, step=step, **finished)


def make_message(
    entity: Entity, text: str, *, session: str = "first", run: Run | None = None, **values: Any
) -> Message:
    """The next message of a session, a minute after the one before; consumed by `run` when one is given."""
    talk = make_session(entity, session)
    ordinal = talk.next_ordinal
    talk.next_ordinal += 1
    talk.save(update_fields=["next_ordinal"])
    said = {
        "role": "user",
        "speaker": "Alice",
        "occurred_at": SAID_AT + timedelta(minutes=ordinal),
        "consumed_by_id": run.pk if run else new_id(),
    }
    return Message.objects.create(
        workspace_id=entity.workspace_id,
        entity=entity,
        session=talk,
        ordinal=ordinal,
        text=text,
        content_hash=hashlib.sha256(text.encode()).digest(),
        **(said | values),
    )


def make_pending_message(entity: Entity, text: str, **values: Any) -> Message:
    return make_message(entity, text, consumed_by_id=None, **values)


def make_atom(
    entity: Entity,
    text: str,
    messages: Sequence[Message],
    *,
    replaces: Atom | None = None,
    run: Run | None = None,
    **values: Any,
) -> Atom:
    """A live atom with its receipts; `replaces` moves it into the chain of the atom that it supersedes."""
    stored = {
        "kind": Atom.Kind.EPISODIC,
        "priority": 50,
        "authority": Authority.USER,
        "occurred_at": messages[-1].occurred_at,
        "last_seen_at": messages[-1].occurred_at,
        "run_id": run.pk if run else None,
        "consumed_by_id": new_id(),
    }
    if replaces is not None:
        stored |= {"decision": Atom.Decision.MERGE, "merge_reason": Atom.MergeReason.VALUE}
        Atom.objects.filter(pk=replaces.pk).update(status=Atom.Status.SUPERSEDED)
    chain = replaces.chain if replaces else Chain.objects.create(workspace=entity.workspace, entity=entity)
    atom = Atom.objects.create(
        workspace_id=entity.workspace_id, entity=entity, chain=chain, text=text, **(stored | values)
    )
    if replaces is not None:
        Atom.objects.filter(pk=replaces.pk).update(superseded_by=atom)
    cite(entity, of_atom=atom, targets={"message": messages})
    return atom


def make_claim(
    entity: Entity, predicate: str, value: object, *, identifier: str = "customer-123", **values: Any
) -> Atom:
    """A live claim about a customer in a chain of its own, resting on an event of an application."""
    claim: dict[str, Any] = {
        "kind": Atom.Kind.EPISODIC,
        "priority": 50,
        "authority": Authority.APPLICATION,
        "subject_kind": "customer",
        "subject_id": identifier,
        "text": f"{identifier} {predicate}: {value}",
        "occurred_at": SAID_AT,
        "last_seen_at": SAID_AT,
        "consumed_by_id": new_id(),
    }
    owner = {"workspace_id": entity.workspace_id, "entity": entity}
    chain = values.pop("chain", None) or Chain.objects.create(**owner)
    atom = Atom.objects.create(**owner, chain=chain, predicate=predicate, value=value, **(claim | values))
    Evidence.objects.create(
        **owner,
        of_atom=atom,
        outside_kind="tool_event",
        outside_reference=f"{predicate}.observed",
        outside_authority=atom.authority,
    )
    return atom


def make_rule(entity: Entity, text: str, messages: Sequence[Message], **values: Any) -> Atom:
    rule: dict[str, Any] = {"kind": Atom.Kind.INSTRUCTION, "priority": 80}
    return make_atom(entity, text, messages, **(rule | values))


def cite(entity: Entity, *, targets: dict[str, Sequence[Any]], **derived: Any) -> None:
    """Receipts of one derived row (`of_atom`, `of_line` or `of_trait_version`)."""
    Evidence.objects.bulk_create(
        Evidence(workspace_id=entity.workspace_id, entity=entity, **derived, **{kind: target})
        for kind, found in targets.items()
        for target in found
    )


def repeat(atom: Atom, message: Message) -> None:
    """A second receipt: the message says what the atom holds already."""
    cite(atom.entity, of_atom=atom, role=Evidence.Role.REPEAT, targets={"message": [message]})


def make_scene(entity: Entity, title: str, lines: Sequence[NewLine], **values: Any) -> SceneVersion:
    """A live scene in the next free slot, with its first version."""
    scene = Scene.objects.create(
        workspace_id=entity.workspace_id,
        entity=entity,
        slug=f"s{new_id().hex[-12:]}",
        slot=Scene.objects.for_entity(entity).count() + 1,
    )
    return _write_version(scene, title, [_write_line(scene, line) for line in lines], number=1, **values)


def make_next_version(
    before: SceneVersion, *, added: Sequence[NewLine] = (), removed: Sequence[Line] = (), **values: Any
) -> SceneVersion:
    """The version after, with lines added and removed; the others are carried over."""
    SceneVersion.objects.filter(pk=before.pk).update(is_head=False)
    gone: set[UUID] = {line.pk for line in removed}
    kept = [line for line in before.lines.order_by("places__position") if line.pk not in gone]
    lines = [*kept, *(_write_line(before.scene, line) for line in added)]
    return _write_version(before.scene, before.title, lines, number=before.number + 1, **values)


def make_trait(
    entity: Entity, slot: str, text: str, lines: Sequence[Line], *, run: Run | None = None
) -> TraitVersion:
    trait = Trait.objects.create(workspace_id=entity.workspace_id, entity=entity, slot=slot)
    version = TraitVersion.objects.create(
        workspace_id=entity.workspace_id,
        entity=entity,
        trait=trait,
        number=1,
        text=text,
        run_id=run.pk if run else None,
    )
    cite(entity, of_trait_version=version, targets={"line": lines})
    return version


def _write_line(scene: Scene, line: NewLine) -> Line:
    written = Line.objects.create(
        workspace_id=scene.workspace_id,
        entity=scene.entity,
        scene=scene,
        section=line.section,
        text=line.text,
    )
    cite(scene.entity, of_line=written, targets={"atom": line.atoms})
    return written


def _write_version(
    scene: Scene, title: str, lines: Sequence[Line], *, run: Run | None = None, **values: Any
) -> SceneVersion:
    version = SceneVersion.objects.create(
        workspace_id=scene.workspace_id,
        entity=scene.entity,
        scene=scene,
        title=title,
        run_id=run.pk if run else None,
        **({"consumed_by_id": new_id()} | values),
    )
    VersionLine.objects.bulk_create(
        VersionLine(
            workspace_id=scene.workspace_id,
            entity=scene.entity,
            version=version,
            line=line,
            position=position,
        )
        for position, line in enumerate(lines)
    )
    return version
