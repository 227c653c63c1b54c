"""What people and applications wrote themselves goes for telling words, never for everyday ones."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any
from uuid import UUID

import pytest
from django.db import transaction

from memory.models import (
    Correction,
    Entity,
    Erasure,
    Feedback,
    Procedure,
    ProcedureLine,
    ProcedureVersion,
    Review,
    TaskTrace,
    TraceStep,
    Use,
)
from memory.models.base import new_id
from memory.stewardship.erasing import Scope, erase, plan_erasure
from memory.stewardship.verify import verify
from tests.cascade.story import an_entity
from tests.factories import NewLine, cite, make_atom, make_claim, make_message, make_scene
from tests.stewardship.erasing.planting import BOSS, LATER
from tests.stewardship.erasing.scanning import everything_of, words_found

pytestmark = pytest.mark.django_db(transaction=True)

RECORDED = ("memory_tasktrace", "memory_tracestep", "memory_feedback", "memory_review", "memory_correction")
PROCEDURES = ("memory_procedure", "memory_procedureversion", "memory_procedureline", "memory_evidence")


@dataclass(frozen=True)
class Skilled:
    """An entity with an approved procedure that rests on a recorded step, and what people said of it."""

    entity: Entity
    version: ProcedureVersion


@transaction.atomic
def skilled(step: str, line: str, *, title: str = "Ship the parcels", said: str = "Good.") -> Skilled:
    entity = an_entity("agent.alice-test")
    owner: dict[str, Any] = {"workspace_id": entity.workspace_id, "entity": entity}
    trace = TaskTrace.objects.create(**owner, task=step, note=said, external_id="job")
    done = TraceStep.objects.create(**owner, trace=trace, position=0, kind="action", text=step)
    procedure = Procedure.objects.create(**owner, slug=new_id().hex[-12:])
    version = ProcedureVersion.objects.create(
        **owner, procedure=procedure, number=1, title=title, boundary=line, status="active"
    )
    row = ProcedureLine.objects.create(**owner, version=version, section="procedure", position=0, text=line)
    cite(entity, of_procedure_line=row, targets={"trace_step": [done]})
    Review.objects.create(**owner, version=version, verdict="approved", reason=said)
    Correction.objects.create(
        **owner, kind="procedure_edited", reason=said, before={"line": step}, after={"line": line}
    )
    use = Use.objects.create(
        **owner, kind="context", sha256="0" * 64, tokens=1, manifest={}, expires_at=LATER
    )
    Feedback.objects.create(**owner, use=use, kind="correction", source="end_user", comment=said)
    return Skilled(entity, version)


def forget(entity: Entity, *messages: UUID, atoms: tuple[UUID, ...] = ()) -> Erasure:
    scope = Scope("messages", messages=messages, atoms=atoms)
    plan = plan_erasure(entity=entity, scope=scope, actor=BOSS)
    counts = plan.counts
    done = erase(erasure=plan, actor=BOSS)
    assert done.counts == counts
    return done


def rows_of(entity: Entity, *tables: str) -> dict[str, list[str]]:
    everything = everything_of(entity)
    return {table: everything[table] for table in tables}


@pytest.mark.parametrize(
    ("said", "step", "line"),
    [
        (
            "They moved into the old office, thanks!",
            "Move the parcels desk to Hono",
            "Moving it comes first.",
        ),
        ("We are planning a meeting about budgets.", "Plan the meeting.", "Ask the office about the budget."),
        ("Nos mudamos de casa.", "Mudar la base.", "Mudamos la base por la noche."),
        ("Wir sind in ein neues Büro umgezogen.", "Erst umziehen, dann prüfen.", "Nach dem Umziehen prüfen."),
        ("I keep parseParcel tidy on 2031-07-09.", "Parse the parcel.", "Take slot 09 or 07."),
    ],
)
def test_everyday_words_take_nothing_that_was_not_made_of_them(said: str, step: str, line: str) -> None:
    entity = skilled(step, line, title=line, said=step).entity
    message = make_message(entity, said)
    before = rows_of(entity, *RECORDED, *PROCEDURES)
    assert forget(entity, message.pk).counts == {"messages": 1, "sessions": 1}
    assert rows_of(entity, *RECORDED, *PROCEDURES) == before
    assert verify(entity) == []


@pytest.mark.parametrize(
    ("said", "word", "copied"),
    [
        ("my code is ORCHID-7", "orchid-7", "ORCHID-7"),
        ("my code is orchid-7", "orchid-7", "theorchid-7b"),
        ("i met a zorbaxian there", "zorbaxian", "Zorbaxian"),
        ("the field is door_code_word", "door_code_word", "old.door_code_word"),
        ("we all call her Garden", "garden", "garden"),
        ("i have diabetes", "diabetes", "Diabetes"),
        ("密码是紫色猫头鹰", "紫色猫头鹰", "紫色猫头鹰"),
    ],
)
def test_a_telling_word_is_nowhere_afterwards(said: str, word: str, copied: str) -> None:
    text = f"Ask about {copied} first."
    found = skilled(text, text, title=text, said=text)
    message = make_message(found.entity, said)
    counts = forget(found.entity, message.pk).counts
    assert words_found([word]) == set()
    names = ("active_procedures", "reviewed_versions", "reviews", "corrections", "feedback", "trace_steps")
    assert {name: counts.get(name) for name in names} == dict.fromkeys(names, 1)
    found.version.refresh_from_db()
    assert (found.version.status, found.version.title) == ("superseded", "")
    assert not ProcedureVersion.objects.for_entity(found.entity).active().exists()
    assert verify(found.entity) == []


def test_a_line_keeps_the_words_of_the_claim_from_outside_that_it_rests_on() -> None:
    entity = an_entity("agent.alice-test")
    with transaction.atomic():
        claim = make_claim(entity, "home.city", "office")
        cited = make_scene(entity, "Places", [NewLine("work_context", "The place is office.", [claim])])
        other = make_message(entity, "I like tea.")
        made = make_atom(entity, "Alice likes tea.", [other])
        uncited = make_scene(entity, "Tea", [NewLine("work_context", "Tea at the office.", [made])])
        message = make_message(entity, "the office is cold")
    forget(entity, message.pk)
    claim.refresh_from_db()
    assert [line.text for line in cited.lines.all()] == ["The place is office."]
    assert [line.text for line in uncited.lines.all()] == [""]
    assert verify(entity) == []


def test_what_a_model_made_goes_for_an_everyday_word_too() -> None:
    entity = an_entity("agent.alice-test")
    with transaction.atomic():
        kept = make_message(entity, "I like tea.")
        leaked = make_atom(entity, "Alice moves soon.", [kept])
        message = make_message(entity, "we moved, thanks")
    assert forget(entity, message.pk).counts["atoms"] == 1
    assert not type(leaked).objects.filter(pk=leaked.pk).exists()
