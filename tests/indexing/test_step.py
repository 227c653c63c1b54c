"""The index step: from the queue to units, then to vectors."""

import threading
import time
from contextlib import closing
from datetime import timedelta
from typing import Any

import pytest
from django.db import connection, transaction

from memory import queries
from memory.indexing import step
from memory.indexing.step import index_entity, index_terms, index_vectors, queue_missing_vectors
from memory.indexing.vectors import current_space
from memory.models import (
    Atom,
    EmbeddingSpace,
    Entity,
    Layer,
    LayerCount,
    SearchUnit,
    Session,
    Unindexed,
    UnitVector,
)
from memory.models.base import new_id
from tests.cast import Alice, make_alice
from tests.factories import SAID_AT, make_entity, make_message
from tests.indexing.embedders import SILENT, ScriptedEmbedder

pytestmark = pytest.mark.django_db

EMBEDDER = ScriptedEmbedder("scripted", 8)


@pytest.fixture
def alice() -> Alice:
    return make_alice()


def units(entity: Entity) -> dict[str, int]:
    found: dict[str, int] = {}
    for unit in SearchUnit.objects.for_entity(entity):
        found[unit.get_layer_display()] = found.get(unit.get_layer_display(), 0) + 1
    return found


def test_all_layers_become_units_and_the_queue_is_empty(alice: Alice) -> None:
    done = index_entity(entity_id=alice.entity.pk, embedder=EMBEDDER)
    assert units(alice.entity) == {"message": 4, "atom": 2, "section": 3, "trait": 1}
    assert UnitVector.objects.filter(entity=alice.entity).count() == 10
    assert not Unindexed.objects.for_entity(alice.entity).exists()
    assert done > 10


def test_a_second_step_has_nothing_to_do(alice: Alice) -> None:
    index_entity(entity_id=alice.entity.pk, embedder=EMBEDDER)
    assert index_entity(entity_id=alice.entity.pk, embedder=EMBEDDER) == 0


def test_a_superseded_atom_loses_its_unit(alice: Alice) -> None:
    index_entity(entity_id=alice.entity.pk, embedder=EMBEDDER)
    atoms = SearchUnit.objects.for_entity(alice.entity).filter(layer=Layer.ATOM)
    assert set(atoms.values_list("atom", flat=True)) == {alice.deadline.pk, alice.approval.pk}


def test_words_come_first_and_stay_when_the_embedder_is_down(alice: Alice) -> None:
    index_entity(entity_id=alice.entity.pk, embedder=ScriptedEmbedder(SILENT, 8))
    waiting = Unindexed.objects.for_entity(alice.entity)
    assert sum(units(alice.entity).values()) == 10
    assert set(waiting.values_list("has_terms", flat=True)) == {True}
    index_entity(entity_id=alice.entity.pk, embedder=EMBEDDER)
    assert not waiting.exists()


def test_without_an_embedder_nothing_waits_for_one(alice: Alice) -> None:
    while index_terms(alice.entity, wants_vectors=False):
        pass
    assert not Unindexed.objects.for_entity(alice.entity).exists()
    assert queue_missing_vectors(alice.entity, EMBEDDER) == 10


def test_a_message_in_between_rewrites_its_successor() -> None:
    entity = make_entity()
    make_message(entity, "First.")
    Session.objects.update(next_ordinal=2)
    last = make_message(entity, "Third.")
    index_entity(entity_id=entity.pk, embedder=EMBEDDER)
    before = SearchUnit.objects.get(message=last).length
    Session.objects.update(next_ordinal=1)
    make_message(entity, "The second one, about billing.")
    index_entity(entity_id=entity.pk, embedder=EMBEDDER)
    assert SearchUnit.objects.get(message=last).length > before


def test_a_claim_that_was_said_earlier_too_is_indexed_anew(alice: Alice) -> None:
    index_entity(entity_id=alice.entity.pk, embedder=EMBEDDER)
    atom = Atom.objects.for_entity(alice.entity).live()[0]
    earlier = SAID_AT - timedelta(days=40)
    Atom.objects.filter(pk=atom.pk).update(occurred_at=earlier)
    index_entity(entity_id=alice.entity.pk, embedder=EMBEDDER)
    assert SearchUnit.objects.get(atom=atom).occurred_at == earlier


def test_an_entity_that_is_gone_is_no_error() -> None:
    assert index_entity(entity_id=new_id(), embedder=EMBEDDER) == 0


def test_an_entity_that_has_grown_large_asks_for_its_vector_index(
    alice: Alice, monkeypatch: pytest.MonkeyPatch
) -> None:
    sent: list[dict[str, Any]] = []
    monkeypatch.setattr(step, "send_vector_index", lambda **values: sent.append(values))
    index_entity(entity_id=alice.entity.pk, embedder=EMBEDDER)
    LayerCount.objects.filter(entity=alice.entity, layer=Layer.MESSAGE).update(units=20_000)
    make_message(alice.entity, "One more.")
    index_entity(entity_id=alice.entity.pk, embedder=EMBEDDER)
    space = UnitVector.objects.filter(entity=alice.entity).values_list("space_id", flat=True)[0]
    assert sent == [
        {"workspace_id": alice.entity.workspace_id, "entity_id": alice.entity.pk, "space_id": space}
    ]


def test_a_space_that_a_rollback_took_away_is_made_again(alice: Alice) -> None:
    with transaction.atomic():
        lost = current_space(EMBEDDER)
        transaction.set_rollback(True)
    assert not EmbeddingSpace.objects.filter(pk=lost.pk).exists()
    index_entity(entity_id=alice.entity.pk, embedder=EMBEDDER)
    assert UnitVector.objects.filter(entity=alice.entity, space__name=EMBEDDER.space).count() == 10


@pytest.mark.django_db(transaction=True)
def test_units_that_another_indexer_replaces_meanwhile_get_no_vector() -> None:
    entity = make_entity()
    make_message(entity, "Ship it on Monday.")
    index_terms(entity, wants_vectors=True)
    is_gone = threading.Event()

    def replace() -> None:
        with closing(connection), transaction.atomic():
            queries.one("lock_indexing", entity=entity.pk)
            SearchUnit.objects.for_entity(entity).delete()
            is_gone.set()
            _wait_for_waiting()

    other = threading.Thread(target=replace)
    other.start()
    assert is_gone.wait(10)
    assert index_vectors(entity, EMBEDDER) == 1
    other.join(10)
    assert not UnitVector.objects.filter(entity=entity).exists()


def _wait_for_waiting() -> None:
    """Until somebody waits for a lock."""
    for _ in range(500):
        with connection.cursor() as cursor:
            cursor.execute("SELECT count(*) FROM pg_locks WHERE NOT granted")
            if cursor.fetchone()[0]:
                return
        time.sleep(0.01)
    raise AssertionError("nobody waits")
