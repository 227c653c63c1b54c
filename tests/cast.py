"""The standing cast: Alice, with all four layers, and Bob of another workspace, who must never leak."""

from dataclasses import dataclass
from typing import Any

from memory.models import (
    Atom,
    Entity,
    Evidence,
    Line,
    Message,
    Run,
    SceneVersion,
    Step,
    TraitVersion,
    Unpromoted,
)
from tests.factories import (
    NewLine,
    make_atom,
    make_entity,
    make_message,
    make_next_version,
    make_rule,
    make_run,
    make_scene,
    make_trait,
    make_workspace,
    repeat,
)


@dataclass(frozen=True)
class Alice:
    """Two sessions: the second repeats a rule and moves a deadline."""

    entity: Entity
    messages: tuple[Message, ...]
    old_deadline: Atom
    deadline: Atom
    approval: Atom
    first_version: SceneVersion
    billing: SceneVersion
    approval_line: Line
    trait: TraitVersion


def make_alice() -> Alice:
    """Session `first`: a deadline and a rule. Session `second`: the rule again, and a later deadline."""
    entity = make_entity("agent.alice-test")
    first, second = make_run(entity), make_run(entity)
    said = [
        make_message(entity, "Keep billing on Express until July 15.", run=first),
        make_message(entity, "Never deploy without my approval.", run=first),
        make_message(entity, "As I said: never deploy without my approval.", session="second", run=second),
        make_message(entity, "Keep billing on Express until October 15.", session="second", run=second),
    ]
    placing, replacing = make_run(entity, Step.SCENE_SYNTHESIS), make_run(entity, Step.SCENE_SYNTHESIS)
    portrait = make_run(entity, Step.PERSONA)
    taken: dict[str, Any] = {"topic": "billing API", "consumed_by_id": placing.pk, "run": first}
    old = make_atom(entity, "Billing stays on Express until July 15.", said[:1], **taken)
    approval = make_rule(entity, "Never deploy without Alice's approval.", said[1:2], priority=95, **taken)
    repeat(approval, said[2])
    note_skip(second, approval, said[2], "repeats a1")
    first_version = make_scene(
        entity,
        "Billing API",
        [
            NewLine("work_context", "Billing stays on Express until July 15.", [old]),
            NewLine("prohibitions", "Never deploy without Alice's approval.", [approval]),
        ],
        run=placing,
        consumed_by_id=portrait.pk,
    )
    context, prohibition = first_version.lines.order_by("places__position")
    trait = make_trait(entity, "decision_pattern", "Asks for approval first.", [prohibition], run=portrait)
    deadline = make_atom(
        entity,
        "Billing stays on Express until October 15.",
        said[3:],
        replaces=old,
        topic="billing API",
        consumed_by_id=replacing.pk,
        run=second,
    )
    billing = make_next_version(
        first_version,
        added=[
            NewLine("work_context", "Billing stays on Express until October 15.", [deadline]),
            NewLine("evolution_record", "October 15 instead of July 15.", [old, deadline]),
        ],
        removed=[context],
        run=replacing,
    )
    old.refresh_from_db()
    Unpromoted.objects.for_entity(entity).delete()
    return Alice(entity, tuple(said), old, deadline, approval, first_version, billing, prohibition, trait)


def note_skip(run: Run, atom: Atom, message: Message, reason: str) -> None:
    """What l1_extract notes about a repeat."""
    run.decisions = [
        {
            "item": 0,
            "outcome": "skip",
            "reason": reason,
            "atoms": [str(atom.pk)],
            "messages": [str(message.pk)],
        }
    ]
    run.save(update_fields=["decisions"])
    Evidence.objects.filter(of_atom=atom, message=message).update(run_id=run.pk)


def make_bob() -> Entity:
    """Somebody else's memory with the same words, in another workspace."""
    entity = make_entity("agent.bob", workspace=make_workspace("elsewhere"))
    said = [make_message(entity, "Never deploy without my approval.")]
    rule = make_rule(entity, "Never deploy without Bob's approval.", said, priority=99)
    version = make_scene(entity, "Bob's Deploys", [NewLine("prohibitions", rule.text, [rule])])
    make_trait(entity, "archetype", "Bob is careful.", list(version.lines.all()))
    Unpromoted.objects.for_entity(entity).delete()
    return entity
