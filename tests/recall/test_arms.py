"""The two arms alone: candidates, plans, and the entity's own vector index."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from datetime import date, timedelta
from typing import Any

import numpy as np
import pytest
from django.db import connection, transaction
from pgvector.django import CosineDistance

from memory import queries
from memory.indexing import vectors
from memory.indexing.analyser import query_terms
from memory.indexing.step import index_terms
from memory.indexing.units import hash_of
from memory.indexing.vector_index import NearIndex, build_vector_index, index_prefix
from memory.indexing.vectors import current_space
from memory.llm.embedders.vectors import halfvec_text
from memory.models import (
    Atom,
    Chain,
    EmbeddingSpace,
    Entity,
    Evidence,
    Layer,
    LayerCount,
    Message,
    SearchUnit,
    Unindexed,
    UnitVector,
)
from memory.models.base import new_id
from memory.recall.arms import (
    Filters,
    IndexCounts,
    Near,
    Usual,
    count_index,
    find_by_meaning,
    find_by_words,
    hashed_query,
    rarest_terms,
)
from tests.factories import make_entity, make_message, make_session, make_workspace
from tests.indexing.embedders import ScriptedEmbedder

EMBEDDER = ScriptedEmbedder("scripted", 16)
SIZE = 2_000
SECONDS = 60_000
VECTOR = halfvec_text(EMBEDDER.embed_query("what is asked"))


def test_candidates_come_from_the_rarest_terms_until_the_cap() -> None:
    counts = IndexCounts(units={Layer.MESSAGE: 900}, holding={1: 10, 2: 80, 3: 500})
    assert rarest_terms(counts, {3: 1.0, 1: 1.0, 2: 1.0, 4: 1.0}, cap=100) == [1, 2]
    assert rarest_terms(counts, {3: 1.0, 4: 1.0}, cap=100) == [3]
    assert rarest_terms(counts, {4: 1.0}, cap=100) == []


def test_rarity_is_never_negative_and_falls_with_the_number_that_hold_a_term() -> None:
    counts = IndexCounts(units={Layer.ATOM: 10}, holding={1: 1, 2: 10, 3: 11})
    assert counts.rarity(9) > counts.rarity(1) > counts.rarity(2) == counts.rarity(3) >= 0


@pytest.fixture(scope="module")
def large(django_db_setup: None, django_db_blocker: Any) -> Iterator[Entity]:
    """Two thousand messages with units and vectors, beside as many of another entity; committed."""
    with django_db_blocker.unblock():
        entity, other = (make_entity(name, workspace=make_workspace(name)) for name in ("large", "other"))
        for owner in (entity, other):
            fill(owner)
            fill_claims(owner)
        with queries.owner_cursor() as cursor:
            cursor.execute(
                "VACUUM ANALYZE memory_searchunit, memory_unitvector, memory_termcount, memory_atom,"
                " memory_evidence"
            )
        yield entity
        for owner in (entity, other):
            clear(owner)
        EmbeddingSpace.objects.all().delete()


def fill(entity: Entity) -> None:
    session = make_session(entity)
    rows = [
        Message(
            workspace_id=entity.workspace_id,
            entity=entity,
            session=session,
            ordinal=number,
            role="user",
            text=f"common word{number % 100} number{number}",
            content_hash=b"-",
            consumed_by_id=new_id(),
        )
        for number in range(SIZE)
    ]
    Message.objects.bulk_create(rows)
    while index_terms(entity, wants_vectors=False):
        pass
    found = SearchUnit.objects.for_entity(entity).order_by("id")
    random = np.random.default_rng(5).standard_normal((SIZE, 16)).astype(np.float32)
    vectors.write_vectors(entity, current_space(EMBEDDER), list(zip(found, random, strict=True)))


def fill_claims(entity: Entity) -> None:
    """As many claims under forty topics, without units: only how they are found is looked at."""
    owner = {"workspace_id": entity.workspace_id, "entity": entity}
    messages = Message.objects.for_entity(entity).order_by("ordinal")
    with transaction.atomic():
        chains = Chain.objects.bulk_create(Chain(**owner) for _ in range(SIZE))
        atoms = Atom.objects.bulk_create(
            Atom(
                **owner,
                chain=chain,
                text=f"claim {number}",
                kind="episodic",
                priority=50,
                topic=f"topic {number % 40}",
                happened_from=date(2026, 1, 1) + timedelta(days=number % 300),
                consumed_by_id=new_id(),
            )
            for number, chain in enumerate(chains)
        )
        Evidence.objects.bulk_create(
            Evidence(**owner, of_atom=atom, message=message)
            for atom, message in zip(atoms, messages, strict=True)
        )
        Unindexed.objects.for_entity(entity).filter(layer=Layer.ATOM).delete()


def clear(entity: Entity) -> None:
    with queries.owner_cursor() as cursor:
        for space in EmbeddingSpace.objects.all():
            cursor.execute(f'DROP INDEX IF EXISTS "{index_prefix(entity.pk)}{space.pk}"')
    entity.workspace.delete()


def plan(text: str, parameters: dict[str, Any]) -> str:
    with connection.cursor() as cursor:
        cursor.execute(f"EXPLAIN (FORMAT JSON) {text}", parameters)
        return json.dumps(cursor.fetchone()[0])


def counted(entity: Entity, query: str) -> tuple[dict[int, float], IndexCounts]:
    terms = hashed_query(entity, query_terms(query, languages=("en",)))
    return terms, count_index(entity, list(terms))


def sequential_scans(found: str) -> set[str]:
    """The tables that a plan reads as a whole."""
    return set(re.findall(r'"Node Type": "Seq Scan".*?"Relation Name": "(\w+)"', found))


def plan_of_words(entity: Entity, word: str, *, most: int) -> str:
    """Of the text arm for one word, of which `most` units are scored."""
    term = hash_of(entity.pk.bytes, word)
    asked = {"terms": [term], "weights": [1.0], "rare": [term], "lengths": [10.0] * 4, "k1": 1.2, "b": 0.75}
    owner = {"workspace": entity.workspace_id, "entity": entity.pk, "entities": [entity.pk]}
    limits = {"most": most, "limit": 200}
    return plan(queries.statement("search_words"), {**owner, **asked, **limits, **Filters().parameters()})


@pytest.mark.django_db
def test_words_are_looked_up_in_the_index_of_terms(large: Entity) -> None:
    found = plan_of_words(large, "number7", most=4_000)
    assert '"Index Name": "search_unit_terms"' in found
    assert "memory_searchunit" not in sequential_scans(found)


@pytest.mark.django_db
def test_a_word_that_is_everywhere_is_looked_for_among_the_newest_of_its_own_entity(large: Entity) -> None:
    """By their numbers alone the units of all later entities would be passed over first."""
    assert '"Index Name": "search_unit_newest"' in plan_of_words(large, "common", most=50)


MEASURED_ONCE = '"Subplan Name": "CTE usual"'
"""Mean and spread of the similarities are the query's: for each row anew they took five times the rest."""


@pytest.mark.django_db
def test_what_is_usual_is_measured_once_for_all_rows(large: Entity) -> None:
    found = plan(
        queries.statement("search_vectors"),
        {
            "workspace": large.workspace_id,
            "entity": large.pk,
            "vector": VECTOR,
            "space": EMBEDDER.space,
            "known": "{}",
            "limit": 60,
            "is_narrow": False,
            **Filters().parameters(),
        },
    )
    assert MEASURED_ONCE in found


@pytest.mark.django_db
def test_what_is_related_is_looked_up_by_topic_day_and_place(large: Entity) -> None:
    found = plan(
        queries.statement("search_related"),
        {
            "workspace": large.workspace_id,
            "entity": large.pk,
            "messages": queries.array(Message.objects.for_entity(large).values_list("pk", flat=True)[:4]),
            "atoms": queries.array(Atom.objects.for_entity(large).values_list("pk", flat=True)[:4]),
            "known": "{}",
            "vector": VECTOR,
            "space": EMBEDDER.space,
            "turns": 2,
            "each": 5,
            "limit": 30,
            **Filters().parameters(),
        },
    )
    used = set(re.findall(r'"Index Name": "(\w+)"', found))
    assert {"atom_topic", "atom_happened", "search_unit_session"} <= used
    assert sequential_scans(found).isdisjoint({"memory_atom", "memory_searchunit", "memory_evidence"})


@pytest.mark.django_db
def test_counts_are_read_by_index(large: Entity) -> None:
    terms = [hash_of(large.pk.bytes, f"number{number}") for number in range(5)]
    owner = {"workspace": large.workspace_id, "entity": large.pk}
    asked = {"terms": terms, "index": index_prefix(large.pk), "layers": [0], "most_waiting": 1}
    found = plan(queries.statement("search_counts"), {**owner, **asked})
    assert '"Index Name": "term_count_once"' in found
    assert "memory_termcount" not in sequential_scans(found)


@pytest.mark.django_db
def test_a_rare_word_is_found_among_thousands(large: Entity) -> None:
    terms, counts = counted(large, "the common number1234")
    found = find_by_words(large, terms, counts, Filters(), limit=5, milliseconds=SECONDS)
    assert found is not None
    texts = Message.objects.in_bulk([candidate.row for candidate in found])
    best = max(found, key=lambda candidate: candidate.words)
    assert texts[best.row].text == "common word34 number1234"


@pytest.mark.django_db
def test_a_query_of_one_common_word_is_answered_from_the_newest(large: Entity) -> None:
    terms, counts = counted(large, "common")
    found = find_by_words(large, terms, counts, Filters(), limit=5, milliseconds=SECONDS, most=50)
    newest = SearchUnit.objects.for_entity(large).order_by("-id").values_list("id", flat=True)[:50]
    assert found is not None
    assert len(found) == 5
    assert {candidate.unit for candidate in found} <= set(newest)


def near(entity: Entity, **options: Any) -> Near:
    known = options.pop("known", ())
    found = find_by_meaning(
        entity, VECTOR, EMBEDDER.space, known, Filters(), limit=100, milliseconds=SECONDS, **options
    )
    assert found is not None
    return found


@pytest.mark.django_db
def test_all_vectors_are_compared_and_those_of_others_are_not(large: Entity) -> None:
    found = near(large)
    rows = dict(UnitVector.objects.filter(entity=large).values_list("unit_id", "embedding"))
    query = EMBEDDER.embed_query("what is asked")
    cosines = {unit: float(np.array(row) @ query / np.linalg.norm(row)) for unit, row in rows.items()}
    best = sorted(cosines, key=lambda unit: -cosines[unit])[:100]
    assert {candidate.unit for candidate in found.candidates} >= set(best[:95])
    assert found.usual.mean == pytest.approx(np.mean(list(cosines.values())), abs=0.01)
    assert found.usual.spread == pytest.approx(np.std(list(cosines.values())), abs=0.01)


@pytest.mark.django_db
def test_of_known_units_only_the_similarity_is_told(large: Entity) -> None:
    everything = near(large)
    known = everything.candidates[:3]
    found = near(large, known=known)
    assert found.similarities == {candidate.unit: candidate.similarity for candidate in known}
    assert [candidate.unit for candidate in found.candidates] == [
        candidate.unit for candidate in everything.candidates[3:]
    ]


@pytest.mark.django_db
def test_a_narrow_filter_finds_what_lies_far_from_the_query(large: Entity) -> None:
    """The farthest unit of all is the only one of its session, and no neighbour of all is in it."""
    far = UnitVector.objects.filter(entity=large).order_by(
        CosineDistance("embedding", EMBEDDER.embed_query("what is asked")).desc()
    )[0]
    session = make_session(large, "of its own")
    SearchUnit.objects.filter(pk=far.unit_id).update(session=session)
    filters = Filters(session=session.pk)
    for index in (None, NearIndex(far.space_id, 16)):
        found = find_by_meaning(
            large, VECTOR, EMBEDDER.space, (), filters, limit=10, milliseconds=SECONDS, index=index
        )
        assert found is not None
        assert [candidate.unit for candidate in found.candidates] == [far.unit_id]


@pytest.mark.django_db
def test_an_entity_without_vectors_has_nothing_near() -> None:
    entity = make_entity()
    make_message(entity, "Nothing of this has a vector.")
    assert near(entity) == Near([], {}, Usual())


@pytest.mark.django_db(transaction=False)
def test_a_small_entity_has_no_index_and_compares_all(large: Entity) -> None:
    assert count_index(large, []).near_indexes == {}


def test_an_index_of_its_own_is_built_found_and_used(large: Entity, django_db_blocker: Any) -> None:
    """Outside of transactions: an index that is built concurrently waits for all of them."""
    with django_db_blocker.unblock():
        space = EmbeddingSpace.objects.get()
        exact = near(large)
        orphan = f"{index_prefix(new_id())}1"
        with queries.owner_cursor() as cursor:
            cursor.execute(f'CREATE INDEX "{orphan}" ON memory_unitvector (id)')
        assert build_vector_index(entity_id=large.pk, space_id=space.pk)
        with queries.owner_cursor() as cursor:
            cursor.execute("SELECT to_regclass(%s)", [orphan])
            assert cursor.fetchone() == (None,)
        assert not build_vector_index(entity_id=large.pk, space_id=space.pk)
        index = count_index(large, []).near_indexes[EMBEDDER.space]
        assert (index.space_id, index.dimensions) == (space.pk, 16)
        literals = {"entity": large.pk, "space": space.pk, "dimensions": 16}
        parameters = {
            "workspace": large.workspace_id,
            "vector": VECTOR,
            "known": [],
            "limit": 100,
            "places": 48,
            "in_a_row": 4,
            **Filters().parameters(),
        }
        text = queries.with_literals(queries.statement("search_vectors_by_index"), literals)
        assert f"{index_prefix(large.pk)}{space.pk}" in plan(text, parameters)
        assert MEASURED_ONCE in plan(text, parameters)
        found = near(large, index=index, known=exact.candidates[:2])
        units = {candidate.unit for candidate in (*found.candidates, *exact.candidates[:2])}
        assert len(units & {candidate.unit for candidate in exact.candidates}) >= 95
        assert set(found.similarities) == {candidate.unit for candidate in exact.candidates[:2]}
        assert found.usual.mean == pytest.approx(exact.usual.mean, abs=0.1)
        assert found.usual.spread == pytest.approx(exact.usual.spread, rel=0.2)
        assert near(large, index=index) == near(large, index=index)


def test_what_an_interrupted_build_left_is_built_again(large: Entity, django_db_blocker: Any) -> None:
    with django_db_blocker.unblock():
        space = EmbeddingSpace.objects.get()
        name = f"{index_prefix(large.pk)}{space.pk}"
        build_vector_index(entity_id=large.pk, space_id=space.pk)
        with queries.owner_cursor() as cursor:
            cursor.execute(f'DROP INDEX "{name}"')
            cursor.execute("SET statement_timeout = 1")
            with pytest.raises(Exception, match="statement timeout"):
                cursor.execute(
                    f'CREATE INDEX CONCURRENTLY "{name}" ON memory_unitvector USING hnsw '
                    "((embedding::halfvec(16)) halfvec_cosine_ops)"
                )
        assert count_index(large, []).near_indexes == {}
        assert build_vector_index(entity_id=large.pk, space_id=space.pk)
        assert list(count_index(large, []).near_indexes) == [EMBEDDER.space]


@pytest.mark.django_db
def test_nothing_is_built_for_what_is_gone(large: Entity) -> None:
    assert not build_vector_index(entity_id=new_id(), space_id=1)
    assert not build_vector_index(entity_id=large.pk, space_id=30_000)
    assert LayerCount.objects.filter(entity=large).exists()
