"""`manage.py reembed`, and what the doctor says of the index."""

import io
from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from django.conf import settings as site
from django.core.management import CommandError, call_command
from django.db import connection
from django.utils import timezone

from memory.indexing.step import index_entity
from memory.llm.embedders import registry
from memory.models import Entity, Process, SearchUnit, Unindexed, UnitVector
from memory.recall.search import Request, search
from memseek_site.doctor import index as doctor
from memseek_site.doctor.findings import Finding, Level, fine
from tests.factories import make_atom, make_entity, make_message, make_workspace
from tests.indexing.embedders import PATH, SILENT

pytestmark = pytest.mark.django_db

Use = Callable[[str, int], None]


@pytest.fixture
def use(settings: Any, monkeypatch: pytest.MonkeyPatch) -> Use:
    """Configures the embedding model of that name and number of dimensions."""
    monkeypatch.setitem(registry.PROVIDERS, "scripted", PATH)

    def choose(model: str, dimensions: int) -> None:
        product = settings.MEMSEEK
        embedding = replace(product.embedding, provider="scripted", model=model, dimensions=dimensions)
        settings.MEMSEEK = replace(product, embedding=embedding)

    return choose


@pytest.fixture
def entity() -> Entity:
    """Three messages and an atom."""
    entity = make_entity()
    said = [make_message(entity, f"Billing stays on Express, part {number}.") for number in range(3)]
    make_atom(entity, "Billing stays on Express.", said)
    return entity


def reembed(**options: str) -> list[str]:
    out = io.StringIO()
    call_command("reembed", stdout=out, **options)
    return out.getvalue().splitlines()


def spaces() -> dict[str, int]:
    """Vectors by space."""
    found: dict[str, int] = {}
    for name in UnitVector.objects.values_list("space__name", flat=True):
        found[name] = found.get(name, 0) + 1
    return found


def found_by_words(entity: Entity) -> tuple[int, str, str]:
    found = search(entity, Request("Express billing"))
    return len(found.hits), found.arms["words"], found.arms["meaning"]


def test_a_changed_model_loses_no_row_and_stops_no_search(entity: Entity, use: Use) -> None:
    use("first", 2)
    index_entity(entity_id=entity.pk)
    units = list(SearchUnit.objects.values_list("pk", flat=True))
    before = found_by_words(entity)
    use("second", 3)
    between = found_by_words(entity)
    assert reembed() == [
        "4 rows of 1 entities are in line for a vector in second/3.",
        "Everything has a vector in second/3.",
    ]
    assert before == between == found_by_words(entity) == (1, "answered", "answered")
    assert spaces() == {"first/2": 4, "second/3": 4}
    assert list(SearchUnit.objects.values_list("pk", flat=True)) == units
    assert Unindexed.objects.count() == 0


def test_vectors_of_another_model_are_taken_away_when_somebody_asks_for_it(
    entity: Entity, use: Use, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = make_entity("agent.bob", workspace=make_workspace("elsewhere"))
    make_message(other, "Hello.")
    use("first", 2)
    reembed()
    use("second", 3)
    monkeypatch.setattr("memory.indexing.reembedding.REMOVED_AT_ONCE", 3)
    said = reembed(workspace=entity.workspace.name, remove_others=True)
    assert said[-1] == "4 vectors of other models are removed."
    assert spaces() == {"first/2": 1, "second/3": 4}


def test_a_second_run_has_nothing_to_do(entity: Entity, use: Use) -> None:
    use("first", 2)
    first, second = reembed(), reembed()
    assert (first[0], second[0]) == (
        "4 rows of 1 entities are in line for a vector in first/2.",
        "0 rows of 1 entities are in line for a vector in first/2.",
    )


def test_a_run_that_was_stopped_is_resumed(entity: Entity, use: Use, monkeypatch: pytest.MonkeyPatch) -> None:
    use("first", 2)
    index_entity(entity_id=entity.pk)
    use("second", 3)
    monkeypatch.setattr("memory.indexing.step.VECTORS_BATCH", 1)
    with pytest.raises(KeyboardInterrupt), connection.execute_wrapper(interrupt_after(2)):
        reembed()
    half = spaces()["second/3"]
    told = reembed()
    assert (half, told[0], spaces()) == (
        2,
        "2 rows of 1 entities are in line for a vector in second/3.",
        {"first/2": 4, "second/3": 4},
    )


def interrupt_after(batches: int) -> Callable[..., Any]:
    """Ctrl-C before the vectors of the next batch are written."""
    left = batches

    def run(execute: Any, sql: str, params: Any, many: bool, context: Any) -> Any:
        nonlocal left
        if 'INSERT INTO "memory_unitvector"' in sql:
            if not left:
                raise KeyboardInterrupt
            left -= 1
        return execute(sql, params, many, context)

    return run


def test_an_embedder_that_is_down_leaves_everything_in_line(entity: Entity, use: Use) -> None:
    use(SILENT, 2)
    with pytest.raises(CommandError, match=r"does not answer \(timeout: no answer within 1 s\)"):
        reembed()
    waiting = Unindexed.objects.filter(has_terms=True).count()
    use("first", 2)
    reembed()
    assert (waiting, spaces(), Unindexed.objects.count()) == (4, {"first/2": 4}, 0)


def test_one_entity_alone_is_embedded(entity: Entity, use: Use) -> None:
    other = make_entity("agent.bob", workspace=make_workspace("elsewhere"))
    make_message(other, "Hello.")
    use("first", 2)
    reembed(workspace="elsewhere", entity="agent.bob")
    assert list(UnitVector.objects.values_list("entity", flat=True)) == [other.pk]


@pytest.mark.parametrize("options", [{"workspace": "nowhere"}, {"entity": "agent.nobody"}])
def test_an_unknown_entity_is_told(entity: Entity, use: Use, options: dict[str, str]) -> None:
    use("first", 2)
    with pytest.raises(CommandError, match="There is no such entity"):
        reembed(**options)


def test_without_an_embedder_there_is_nothing_to_do(settings: Any) -> None:
    settings.MEMSEEK = replace(site.MEMSEEK, embedding=replace(site.MEMSEEK.embedding, provider="none"))
    with pytest.raises(CommandError, match="No embedder is in use"):
        reembed()
    assert list(doctor.examine())[1].text == "none: memory is searched by words alone"


def test_the_doctor_finds_everything_indexed(use: Use, entity: Entity) -> None:
    use("first", 2)
    index_entity(entity_id=entity.pk)
    assert list(doctor.examine()) == [
        fine("index", "nothing waits for the index"),
        fine("embedder", "first/2; no unit lacks its vector"),
    ]


def test_the_doctor_tells_what_lacks_a_vector_of_the_model_in_use(use: Use, entity: Entity) -> None:
    use("first", 2)
    index_entity(entity_id=entity.pk)
    use("second", 3)
    (finding,) = [found for found in doctor.examine() if found.topic == "embedder"]
    assert (finding.level, finding.text) == (Level.NOTE, "second/3; 4 units have no vector in it")


@pytest.mark.parametrize(("has_worker", "level"), [(False, Level.NOTE), (True, Level.BROKEN)])
def test_rows_that_a_living_worker_leaves_in_line_are_broken(
    use: Use, entity: Entity, has_worker: bool, level: Level
) -> None:
    use("first", 2)
    Unindexed.objects.update(queued_at=timezone.now() - timedelta(seconds=180))
    if has_worker:
        Process.objects.create(kind="worker", name="a", configuration_hash="0", seen_at=timezone.now())
    finding: Finding = next(iter(doctor.examine()))
    assert (finding.level, finding.text) == (
        level,
        "4 rows wait for the index, 0 for a vector; the oldest unread one for 180 s",
    )
