"""Messages and atoms are counted as they come and go, and the counts are what is there."""

from __future__ import annotations

import threading
from contextlib import closing

import pytest
from django.db import connection, transaction
from django.test.utils import CaptureQueriesContext

from memory.indexing import step
from memory.indexing.step import index_entity
from memory.ingest.entities import ensure_entity
from memory.models import Atom, Entity, Message, RecordCount
from memory.recall.record_counts import NOTHING, RecordCounts, record_counts
from memory.stewardship.erasing.whole_entity import delete_entity
from tests.factories import make_atom, make_entity, make_message, make_workspace

pytestmark = pytest.mark.django_db


@pytest.fixture
def entity() -> Entity:
    return make_entity()


def counted(entity: Entity) -> RecordCounts:
    return record_counts(entity.workspace_id, [entity.pk]).get(entity.pk, NOTHING)


def present(entity: Entity) -> RecordCounts:
    atoms = Atom.objects.for_entity(entity)
    return RecordCounts(
        messages=Message.objects.for_entity(entity).count(),
        atoms_live=atoms.live().count(),
        atoms_all=atoms.count(),
    )


def test_nothing_is_counted_of_an_entity_without_records(entity: Entity) -> None:
    assert (counted(entity), RecordCount.objects.count()) == (RecordCounts(0, 0, 0), 0)


def test_what_comes_goes_and_changes_its_state_is_counted(entity: Entity) -> None:
    said = [make_message(entity, f"Billing, {number}.") for number in range(3)]
    old = make_atom(entity, "Billing on Express.", said[:1])
    make_atom(entity, "Billing on Fastify.", said[1:], replaces=old)
    make_atom(entity, "Deploy on Fridays.", said[:1])
    assert counted(entity) == present(entity) == RecordCounts(messages=3, atoms_live=2, atoms_all=3)
    Atom.objects.for_entity(entity).live().update(status=Atom.Status.RETRACTED)
    assert counted(entity) == present(entity) == RecordCounts(messages=3, atoms_live=0, atoms_all=3)


def test_what_changes_no_state_adds_nothing(entity: Entity) -> None:
    make_atom(entity, "Billing on Express.", [make_message(entity, "Billing on Express.")])
    rows = RecordCount.objects.count()
    Atom.objects.for_entity(entity).update(topic="billing")
    assert RecordCount.objects.count() == rows


def test_many_that_come_or_go_at_once_are_one_change(entity: Entity) -> None:
    other = make_entity("bob", workspace=entity.workspace)
    messages = [make_message(entity, f"Said {number}.") for number in range(3)]
    make_message(other, "Elsewhere.")
    before = set(RecordCount.objects.values_list("pk", flat=True))
    Message.objects.filter(pk__in=[message.pk for message in messages[1:]])._raw_delete("default")
    [change] = RecordCount.objects.exclude(pk__in=before).values_list("entity", "layer", "heads", "versions")
    assert change == (entity.pk, 0, -2, -2)
    assert (counted(entity), counted(other)) == (RecordCounts(messages=1), RecordCounts(messages=1))


def test_the_index_step_puts_many_changes_together(entity: Entity, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(step, "COUNT_CHANGES_KEPT", 3)
    said = [make_message(entity, f"Said {number}.") for number in range(3)]
    index_entity(entity_id=entity.pk)
    assert RecordCount.objects.count() == 3
    make_atom(entity, "Three things were said.", said)
    index_entity(entity_id=entity.pk)
    sums = RecordCount.objects.order_by("layer").values_list("layer", "heads", "versions")
    assert list(sums) == [(0, 3, 3), (1, 1, 1)]
    assert counted(entity) == present(entity) == RecordCounts(messages=3, atoms_live=1, atoms_all=1)


def test_counts_of_many_entities_are_one_statement(entity: Entity) -> None:
    others = [make_entity(f"bob {number}", workspace=entity.workspace) for number in range(3)]
    for number, other in enumerate(others):
        for _ in range(number):
            make_message(other, "Hello.")
    with CaptureQueriesContext(connection) as asked:
        found = record_counts(entity.workspace_id, [other.pk for other in others])
    assert found == {others[1].pk: RecordCounts(messages=1), others[2].pk: RecordCounts(messages=2)}
    assert len(asked) == 1


def test_counts_of_another_workspace_are_not_told(entity: Entity) -> None:
    make_message(entity, "Hello.")
    assert record_counts(make_workspace("other").pk, [entity.pk]) == {}


@pytest.mark.django_db(transaction=True)
def test_what_is_written_meanwhile_stays_beside_the_sums(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody waits for the other, and nothing is counted twice or not at all."""
    monkeypatch.setattr(step, "COUNT_CHANGES_KEPT", 0)
    entity = make_entity()
    for number in range(3):
        make_message(entity, f"Said {number}.")
    is_written, is_summed = threading.Event(), threading.Event()

    def write() -> None:
        with closing(connection), transaction.atomic():
            make_message(entity, "Said meanwhile.")
            is_written.set()
            is_summed.wait(30)

    writer = threading.Thread(target=write)
    writer.start()
    assert is_written.wait(30)
    index_entity(entity_id=entity.pk)
    assert counted(entity) == RecordCounts(messages=3)
    is_summed.set()
    writer.join(30)
    assert list(RecordCount.objects.order_by("pk").values_list("versions", flat=True)) in ([3, 1], [1, 3])
    assert counted(entity) == present(entity) == RecordCounts(messages=4)


def test_what_is_refused_for_it_is_there_already_is_not_counted(entity: Entity) -> None:
    make_message(entity, "Once.")
    Message.objects.bulk_create(Message.objects.for_entity(entity), ignore_conflicts=True)
    assert counted(entity) == present(entity) == RecordCounts(messages=1)


@pytest.mark.django_db(transaction=True)
def test_counts_go_with_their_entity() -> None:
    entity = ensure_entity(workspace=make_workspace(), name="alice")
    with transaction.atomic():
        make_atom(entity, "Billing on Express.", [make_message(entity, "Billing on Express.")])
    with transaction.atomic():
        delete_entity(Entity.objects.select_for_update().get(pk=entity.pk))
    assert RecordCount.objects.count() == 0
