"""How the vector index of a large entity is built and searched. Its results: tests/recall/test_arms.py."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import pytest
from django.db import DataError, connection, transaction

from memory import queries
from memory.indexing.vector_index import build_vector_index, search_width
from memory.models import EmbeddingSpace
from memseek_site.model_reading import MOST_INDEX_MEGABYTES, MOST_INDEX_WORKERS
from tests.factories import make_entity


@pytest.fixture
def told(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What the owner's connection is told, without doing it."""
    statements: list[str] = []

    class Cursor:
        def execute(self, statement: str) -> None:
            statements.append(" ".join(statement.split()))

        def fetchone(self) -> tuple[bool]:
            return (True,)

        def fetchall(self) -> list[tuple[Any, ...]]:
            return []

    @contextmanager
    def owner_cursor() -> Iterator[Cursor]:
        yield Cursor()

    monkeypatch.setattr(queries, "owner_cursor", owner_cursor)
    return statements


@pytest.mark.django_db
def test_it_is_built_within_the_memory_and_by_the_processes_that_are_given(
    told: list[str], settings: Any
) -> None:
    embedding = replace(settings.MEMSEEK.embedding, index_megabytes=4_000, index_workers=3)
    settings.MEMSEEK = replace(settings.MEMSEEK, embedding=embedding)
    space = EmbeddingSpace.objects.create(name="test", dimensions=16)
    assert build_vector_index(entity_id=make_entity().pk, space_id=space.pk)
    assert told[:2] == ["SET max_parallel_maintenance_workers = 3", "SET maintenance_work_mem = '4000MB'"]


@pytest.mark.django_db
def test_the_server_takes_as_much_as_may_be_set_and_no_memory_beyond() -> None:
    with connection.cursor() as cursor:
        cursor.execute("SET LOCAL max_parallel_maintenance_workers = %s", [MOST_INDEX_WORKERS])
        cursor.execute("SET LOCAL maintenance_work_mem = %s", [f"{MOST_INDEX_MEGABYTES}MB"])
        with pytest.raises(DataError, match="maintenance_work_mem"), transaction.atomic():
            cursor.execute("SET LOCAL maintenance_work_mem = %s", [f"{MOST_INDEX_MEGABYTES + 1}MB"])


def test_a_large_index_is_searched_more_widely() -> None:
    assert [search_width(units) for units in (10_000, 50_000, 50_001, 2_000_000)] == [240, 240, 320, 320]
