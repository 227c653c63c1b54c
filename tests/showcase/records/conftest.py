"""A memory with a history: versions of a scene, a chain, a correction, and clients in each place."""

from collections.abc import Callable
from dataclasses import dataclass

import pytest
from django.contrib.auth.models import User
from django.db import transaction
from django.test import Client
from django.utils import timezone

from memory.models import Atom, Entity, Line, Member, Message, Scene, SceneVersion, Step, TraitVersion
from tests.factories import (
    NewLine,
    cite,
    make_atom,
    make_message,
    make_next_version,
    make_rule,
    make_run,
    make_scene,
    make_trait,
)

HOSTILE = "<script>alert(1)</script> & \u202egnp.exe"


@dataclass(frozen=True)
class Told:
    """What `told` made."""

    entity: Entity
    messages: tuple[Message, ...]
    rule: Atom
    old: Atom
    new: Atom
    first: SceneVersion
    head: SceneVersion
    trait: TraitVersion


def line_of(version: SceneVersion, text: str) -> Line:
    return version.lines.get(text=text)


def tell_history(entity: Entity, number: int = 0) -> Told:
    """Three messages, a rule, a date that moved, a scene of two versions, and a trait with number 0."""
    name = f"Ledger {number}"
    talk = f"ledger-{number}"
    said = tuple(
        make_message(entity, text, session=talk)
        for text in (f"Ask me before {name} is deployed.", f"{name} moves in May.", f"{name} moves in June.")
    )
    run = make_run(
        entity,
        model="quiet-model",
        decisions=[{"outcome": "skip", "reason": "says nothing new", "messages": [str(said[0].pk)]}],
    )
    Message.objects.filter(pk=said[0].pk).update(consumed_by=run)
    rule = make_rule(entity, f"Ask before {name} is deployed.", said[:1], run=run, topic=name)
    old = make_atom(entity, f"{name} moves in May.", said[1:2])
    new = make_atom(entity, f"{name} moves in June.", said[2:], replaces=old)
    first = make_scene(
        entity,
        name,
        [
            NewLine("prohibitions", f"Ask before {name} is deployed.", [rule]),
            NewLine("work_context", f"The move of {name} is in May this year.", [old]),
        ],
        summary=f"{name}: when it moves and who is asked.",
    )
    written = make_run(entity, Step.SCENE_SYNTHESIS, model="quiet-model")
    head = make_next_version(
        first,
        added=[NewLine("work_context", f"The move of {name} is in June this year.", [new])],
        removed=[line_of(first, f"The move of {name} is in May this year.")],
        run=written,
    )
    written.decisions = [
        {"outcome": "update", "scene": str(head.scene_id), "version": 2, "reason": "the date moved"}
    ]
    written.save(update_fields=["decisions"])
    slot = "decision_pattern" if number == 0 else ""
    trait = (
        make_trait(entity, slot, "Wants to be asked first.", [line_of(head, rule.text)])
        if slot
        else TraitVersion.objects.for_entity(entity).get(is_head=True, trait__slot="decision_pattern")
    )
    return Told(entity, said, rule, old, new, first, head, trait)


def reword(before: TraitVersion, text: str, lines: list[Line]) -> TraitVersion:
    """The next wording of a trait."""
    TraitVersion.objects.filter(pk=before.pk).update(is_head=False)
    version = TraitVersion.objects.create(
        workspace_id=before.workspace_id,
        entity=before.entity,
        trait=before.trait,
        number=before.number + 1,
        text=text,
    )
    cite(before.entity, of_trait_version=version, targets={"line": lines})
    return version


def erase_line(line: Line) -> None:
    """As an erase leaves it in earlier versions: without words."""
    Line.objects.filter(pk=line.pk).update(text="", erased_at=timezone.now())


def merge_into(scene: Scene, other: Scene) -> None:
    Scene.objects.filter(pk=scene.pk).update(status="merged", merged_into=other, slot=None)


@pytest.fixture
def told(alice: Entity) -> Told:
    """Alice's memory with a history."""
    with transaction.atomic():
        return tell_history(alice)


@pytest.fixture
def signed_in(client: Client) -> Callable[..., Client]:
    """`signed_in(entity, "reviewer")`: the client of a member who may open the admin."""

    def sign_in(entity: Entity, role: str, *, is_staff: bool = True) -> Client:
        user = User.objects.create_user(f"the-{role}", is_staff=is_staff)
        Member.objects.create(workspace=entity.workspace, user=user, role=role)
        client.force_login(user)
        return client

    return sign_in
