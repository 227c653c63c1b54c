"""A memory in which one word stands in every place that can hold words, uncited places included."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from django.contrib.admin.models import CHANGE, LogEntry
from django.contrib.auth.models import User
from django.contrib.contenttypes.models import ContentType
from django.db import transaction

from memory.cascade.work import ensure_work
from memory.models import (
    Atom,
    Correction,
    Digest,
    Entity,
    Feedback,
    GraphEdge,
    GraphNode,
    LiveValue,
    Message,
    Procedure,
    ProcedureLine,
    ProcedureVersion,
    Review,
    Run,
    Session,
    Share,
    Step,
    TaskTrace,
    TraceStep,
    Use,
    Work,
)
from memory.models.base import new_id
from memory.stewardship.actors import Actor
from tests.factories import (
    SAID_AT,
    NewLine,
    cite,
    make_atom,
    make_entity,
    make_message,
    make_next_version,
    make_run,
    make_scene,
    make_session,
    make_trait,
)

WORD = "Zwölfquokka-77"
"""Distinctive, with an accent, a hyphen and digits, so that its folded forms are looked for too."""
BOSS = Actor(name="boss")
LATER = datetime(2126, 6, 2, tzinfo=UTC)


@dataclass(frozen=True)
class Planted:
    """The memory, and the only message that said the word."""

    entity: Entity
    said: Message
    other: Message
    kept: Atom


@transaction.atomic
def plant(name: str = "agent.alice-test", *, username: str = "staff") -> Planted:
    """One message says the word; a second one, which stays, says other things that were also made use of."""
    entity = make_entity(name)
    ensure_work(entity)
    run = make_run(entity)
    said = make_message(entity, f"My badge word is {WORD}, and I like tea.", run=run, dedupe_key="said-1")
    other = make_message(entity, "I like tea in the morning.", run=run)
    secret = make_atom(entity, f"Alice's badge word is {WORD}.", [said], run=run, topic=f"badge {WORD}")
    mixed = make_atom(entity, "Alice likes tea.", [said, other], run=run, topic="tea")
    kept = make_atom(entity, "Alice likes tea in the morning.", [other], run=run, topic="tea")
    leaked = make_atom(entity, f"Uncited: {WORD.upper()} again.", [other], run=run)
    _plant_scenes(entity, secret, mixed, kept)
    _plant_graph(entity, secret, leaked)
    _plant_record(entity, said, secret)
    _plant_session(entity, said, other)
    _plant_skills(entity, said)
    _plant_log(secret, username)
    _plant_share(entity)
    return Planted(entity, said, other, kept)


def _owner(entity: Entity) -> dict[str, Any]:
    return {"workspace_id": entity.workspace_id, "entity": entity}


def _plant_scenes(entity: Entity, secret: Atom, mixed: Atom, kept: Atom) -> None:
    placing = make_run(entity, Step.SCENE_SYNTHESIS)
    first = make_scene(
        entity,
        "Tea",
        [NewLine("work_context", "Alice likes tea in the morning.", [kept])],
        run=placing,
    )
    line = first.lines.get()
    second = make_next_version(
        first, added=[NewLine("core_sop", f"Ask for {WORD} at the door.", [secret])], run=placing
    )
    third = make_next_version(
        second,
        added=[
            NewLine("evolution_record", "Tea is liked.", [mixed, kept]),
            NewLine("open_questions", f"Uncited {WORD.lower()} here.", [kept]),
        ],
        run=placing,
    )
    third.title, third.summary = f"Tea and {WORD}", f"About {WORD}."
    third.save(update_fields=["title", "summary"])
    door = third.lines.get(section="core_sop")
    make_trait(entity, "role", f"Keeper of {WORD}.", [door])
    make_trait(entity, "archetype", "Likes tea.", [line])
    correction = Correction.objects.create(
        **_owner(entity),
        kind="lines_pinned",
        reason=f"because of {WORD}",
        before={"lines": [f"Ask for {WORD}"]},
        after={"lines": [str(door.pk)]},
    )
    cite(entity, of_line=line, targets={"correction": [correction]})


def _plant_graph(entity: Entity, secret: Atom, leaked: Atom) -> None:
    alice = GraphNode.objects.create(**_owner(entity), kind="person", identifier="Alice")
    badge = GraphNode.objects.create(**_owner(entity), kind="badge", identifier=WORD)
    edge = {"subject": alice, "predicate": "has_badge"}
    GraphEdge.objects.create(**_owner(entity), **edge, object=badge, atom=secret)
    GraphEdge.objects.create(**_owner(entity), **edge, value={"word": WORD}, atom=leaked)
    LiveValue.objects.create(
        **_owner(entity), atom=leaked, value={"word": WORD}, fetched_at=SAID_AT, expires_at=LATER
    )


def _plant_record(entity: Entity, said: Message, secret: Atom) -> None:
    Run.objects.create(
        **_owner(entity),
        step=Step.L1_EXTRACT,
        status=Run.Status.FAILED,
        finished_at=SAID_AT,
        error_kind="bad_answer",
        error_text=f"cannot read {WORD}",
        raw_answer=f'{{"text": "{WORD}"}}',
        inputs={"messages": [str(said.pk)]},
    )
    make_run(
        entity, decisions=[{"item": 0, "outcome": "skip", "reason": f"{WORD} was said"}], noop_reason=WORD
    )
    Work.objects.filter(entity=entity, step=Step.L1_EXTRACT).update(last_error=f"cannot read {WORD}")
    use = Use.objects.create(
        **_owner(entity),
        kind="context",
        sha256="0" * 64,
        tokens=9,
        manifest={"blocks": [{"name": "relevant", "title": WORD}]},
        records=[secret.pk],
        request=f"What is {WORD}?",
        text=f"The word is {WORD}.",
        expires_at=LATER,
    )
    Feedback.objects.create(
        **_owner(entity), use=use, kind="correction", source="end_user", comment=f"Not {WORD}!"
    )


def _plant_session(entity: Entity, said: Message, other: Message) -> None:
    session = Session.objects.get(pk=said.session_id)
    Session.objects.filter(pk=session.pk).update(title=f"About {WORD}", takes_turns=True, folded_until=1)
    digest = Digest.objects.create(
        **_owner(entity), session=session, kind="summary", number=1, text=f"{WORD} was said.", until_ordinal=1
    )
    cite(entity, of_digest=digest, targets={"message": [said]})
    make_session(entity, f"talk-of-{WORD}")


def _plant_skills(entity: Entity, said: Message) -> None:
    trace = TaskTrace.objects.create(
        **_owner(entity), task=f"Open the door with {WORD}.", note=f"{WORD} worked.", external_id=f"t-{WORD}"
    )
    step = TraceStep.objects.create(
        **_owner(entity), trace=trace, position=0, kind="action", text=f"Said {WORD}.", message=said
    )
    check = TraceStep.objects.create(
        **_owner(entity), trace=trace, position=1, kind="check", text="The door opened."
    )
    procedure = Procedure.objects.create(**_owner(entity), slug=new_id().hex[-12:])
    version = ProcedureVersion.objects.create(
        **_owner(entity),
        procedure=procedure,
        number=1,
        title=f"The {WORD} door",
        boundary=f"Until {WORD}.",
        incidental=[WORD],
        status="active",
    )
    for position, (text, cited) in enumerate([(f"Say {WORD}.", step), ("Look at the door.", check)]):
        line = ProcedureLine.objects.create(
            **_owner(entity), version=version, section="procedure", position=position, text=text
        )
        cite(entity, of_procedure_line=line, targets={"trace_step": [cited]})
    Review.objects.create(**_owner(entity), version=version, verdict="rejected", reason=f"no {WORD}")


def _plant_share(entity: Entity) -> None:
    reader = Entity.objects.create(workspace=entity.workspace, name=f"reader of {entity.pk}")
    Share.objects.create(**_owner(entity), reader=reader, reason=f"They know {WORD}.")


def _plant_log(secret: Atom, username: str) -> None:
    user = User.objects.create(username=username)
    kind = ContentType.objects.get_for_model(Atom)
    LogEntry.objects.create(
        user=user,
        content_type=kind,
        object_id=str(secret.pk),
        object_repr=secret.text,
        action_flag=CHANGE,
        change_message=f'[{{"changed": {{"name": "{WORD}"}}}}]',
    )
