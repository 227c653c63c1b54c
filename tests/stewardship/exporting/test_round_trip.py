"""An entity goes into a file and comes out of it as the same memory."""

from __future__ import annotations

from datetime import UTC, datetime
from io import BytesIO
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import transaction

from memory.ingest.workspaces import create_key
from memory.models import Correction, Entity, Message, Run, Unpromoted, Work
from memory.recall.context import ContextRequest
from memory.recall.context.rendering import render_context
from memory.stewardship.actors import Actor
from memory.stewardship.erasing import Scope, erase, plan_erasure
from memory.stewardship.exporting import import_entity, open_export
from memory.stewardship.exporting.kinds import KINDS
from memory.stewardship.verify import verify
from tests.cascade.story import an_entity, say
from tests.factories import make_message, make_workspace
from tests.models.world import make_world
from tests.stewardship.exporting.files import empty_the_place, exported, indexed, rows_of, told_story

pytestmark = pytest.mark.django_db(transaction=True)

AS_OF = datetime(2026, 9, 1, 9, tzinfo=UTC)


def imported(file: bytes, **values: Any) -> Entity:
    return import_entity(workspace=make_workspace(), source=BytesIO(file), **values).entity


def full_entity() -> Entity:
    """One that has rows in every table."""
    with transaction.atomic():
        world = make_world()
    return Entity.objects.get(pk=str(world["own.entity"]))


def test_the_story_comes_back_as_the_same_memory() -> None:
    entity = indexed(told_story())
    asked = ContextRequest("Deploy the billing API", as_of=AS_OF)
    before, file = render_context(entity, asked), exported(entity)
    empty_the_place()

    again = imported(file)

    assert exported(again) == file
    assert render_context(indexed(again), asked).text == before.text
    assert exported(again) == file
    assert verify(again, is_settled=True) == []


def test_a_row_of_every_table_comes_back() -> None:
    file = exported(full_entity())
    counts = {kind.name: len(rows_of(file, kind.name)) for kind in KINDS}
    assert [kind for kind, count in counts.items() if not count] == []
    empty_the_place()

    again = import_entity(workspace=make_workspace(), source=BytesIO(file))

    assert again.counts == counts
    assert exported(again.entity) == file


def test_what_waits_and_what_is_parked_stays_so() -> None:
    entity = an_entity()
    waiting, parked = say(entity, "I live in Oslo.", "I like tea.")
    run = Run.objects.create(
        workspace_id=entity.workspace_id,
        entity=entity,
        step="l1_extract",
        status="failed",
        error_kind="answer",
        error_text="the endpoint at example.org said no",
        raw_answer="{oops",
        worker="host:1",
        finished_at=AS_OF,
    )
    Message.objects.filter(pk=parked.pk).update(parked_by_id=run.pk, parked_at=AS_OF)
    file = exported(entity)
    empty_the_place()

    again = imported(file)

    assert list(Message.objects.for_entity(again).pending()) == [waiting]
    assert list(Message.objects.for_entity(again).parked()) == [parked]
    assert list(Work.objects.filter(due_at__isnull=False).values_list("step", flat=True)) == ["l1_extract"]
    assert b"example.org" not in file
    assert b"oops" not in file
    assert b"host:1" not in file


def test_another_name_is_the_only_difference() -> None:
    entity = an_entity()
    say(entity, "I live in Oslo.")
    file = exported(entity)
    empty_the_place()

    renamed = imported(file, name="agent.copy")

    assert renamed.name == "agent.copy"
    assert rows_of(exported(renamed), "message") == rows_of(file, "message")


def test_only_the_entitys_own_rows_are_in_the_file() -> None:
    make_message(an_entity("agent.bob"), "Bob's badge is ORCHID-7.")
    make_message(an_entity("agent.alice", workspace="elsewhere"), "Elsewhere the badge is LILAC-9.")
    entity = an_entity()
    make_message(entity, "Alice likes tea.")

    file = exported(entity)

    assert b"ORCHID" not in file
    assert b"LILAC" not in file
    assert [row["text"] for row in rows_of(file, "message")] == ["Alice likes tea."]


def test_record_numbers_keep_their_order_behind_those_that_are_there() -> None:
    entity = an_entity()
    make_message(entity, "one")
    make_message(an_entity("agent.bob"), "between")
    make_message(entity, "two")
    file = exported(entity)
    assert [row["seq"] for row in rows_of(file, "message")] == [0, 1]
    empty_the_place()
    last = make_message(an_entity("agent.carol"), "somebody else's")

    again = imported(file)

    numbers = list(Message.objects.for_entity(again).values_list("seq", flat=True))
    assert numbers == sorted(numbers)
    assert numbers[0] > last.seq


def test_the_graph_is_made_by_promotion_as_always() -> None:
    file = exported(full_entity())
    empty_the_place()

    again = imported(file)

    assert Unpromoted.objects.for_entity(again).count() == len(rows_of(file, "atom"))


def test_an_export_is_of_one_moment() -> None:
    entity = an_entity()
    make_message(entity, "before")
    with open_export(entity=entity) as export:
        make_message(entity, "after")
        lines = b"".join(export.chunks())
    assert [row["text"] for row in rows_of(lines, "message")] == ["before"]


def test_who_corrected_something_is_a_name() -> None:
    entity = an_entity()
    user = User.objects.create(username="dora")
    key = create_key(workspace=entity.workspace, label="night job").key
    who = ({"user": user}, {"key": key}, {"by": "root"}, {})
    for columns in who:
        Correction.objects.create(
            workspace_id=entity.workspace_id, entity=entity, kind="scene_retired", **columns
        )
    file = exported(entity)
    empty_the_place()

    again = imported(file)

    names = ["dora", "night job", "root", ""]
    assert [row["by"] for row in rows_of(file, "correction")] == names
    rows = Correction.objects.for_entity(again).order_by("pk")
    assert list(rows.values_list("by", "user", "key")) == [(name, None, None) for name in names]
    assert exported(again) == file


def test_what_was_erased_is_in_no_file_made_after_it() -> None:
    entity = told_story()
    first = Message.objects.for_entity(entity).order_by("seq")[0]
    scope = Scope("messages", messages=(first.pk,))
    plan = plan_erasure(entity=entity, scope=scope, actor=Actor(name="dora"))
    erase(erasure=plan, actor=Actor(name="dora"))
    file = exported(entity)
    empty_the_place()

    again = imported(file)

    assert first.text.encode() not in file
    assert exported(again) == file
    assert verify(again) == []
