"""What was said earlier before its migration was there: the graph and the index follow once it is."""

from pathlib import Path

import pytest
from django.db import connection

import memory
from memory.indexing.step import index_entity
from memory.models import Atom, GraphEdge, SearchUnit
from memory.stewardship.verify import verify
from memseek_site.databases import connected_as_owner
from tests.claims.histories import an_entity, promoted
from tests.claims.observing import at, say

FOLDER = Path(memory.__file__).parent / "migrations" / "sql"


def run(name: str) -> None:
    with connected_as_owner(), connection.cursor() as cursor:
        cursor.execute((FOLDER / name).read_text())


@pytest.mark.django_db(transaction=True)
def test_what_was_said_earlier_before_the_migration_is_mended_by_it() -> None:
    entity = an_entity()
    say(entity, "annual", minute=1)
    promoted(entity)
    index_entity(entity_id=entity.pk)
    run("0019_claims_said_earlier_reverse.sql")
    try:
        say(entity, "annual", minute=0)
        promoted(entity)
        index_entity(entity_id=entity.pk)
        assert {problem.kind for problem in verify(entity)} == {"edge_differs", "unit_differs"}
    finally:
        run("0019_claims_said_earlier.sql")
    promoted(entity)
    index_entity(entity_id=entity.pk)
    atom = Atom.objects.get()
    assert (GraphEdge.objects.get().valid_from, SearchUnit.objects.get(atom=atom).occurred_at) == (
        at(0),
        at(0),
    )
    assert verify(entity) == []
