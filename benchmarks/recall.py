"""`python -m benchmarks.recall`: how long recall takes through HTTP, by the size of the memory.

Entities of several sizes are filled by COPY, a real server runs, and distinct questions are put to it one
after the other over the loopback, the embedding of each question included. The statements of the largest are
timed alone, what its two short cuts lose is counted (the cap on postings, the vector index), and it is asked
again among a million atoms of others. The last line is JSON.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import httpx

from benchmarks.installation import installation, machine, note
from benchmarks.processes import served
from benchmarks.recall_data import Filler
from benchmarks.recall_losses import losses, sql_milliseconds
from benchmarks.recall_words import Words

if TYPE_CHECKING:
    from memory.models import EmbeddingSpace, Entity

SEED = 7
TARGET_MILLISECONDS = {1_000: 12.0, 10_000: 20.0, 100_000: 40.0}
SQL_TARGET_MILLISECONDS = 25.0
LEAST_INDEX_RECALL = 0.95
WARMING = 40


def main() -> None:
    """Fill, measure, print."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.recall", description=__doc__)
    parser.add_argument("--sizes", type=int, nargs="+", default=sorted(TARGET_MILLISECONDS), metavar="ATOMS")
    parser.add_argument("--others", type=int, default=1_000_000, help="atoms of other entities (1,000,000)")
    parser.add_argument("--queries", type=int, default=200, help="for each figure (200)")
    options = parser.parse_args()
    with installation(MEMSEEK_EMBEDDING_PROVIDER="local"):
        told = measure(sorted(options.sizes), options.others, options.queries) | machine()
    for line in report(told):
        print(line)
    print(json.dumps(told))


def measure(sizes: Sequence[int], others: int, count: int) -> dict[str, Any]:
    """All figures."""
    from memory.ingest.workspaces import create_workspace

    created = create_workspace(name="benchmark")
    told: dict[str, Any] = {"benchmark": "recall", "seed": SEED, "queries": count}
    with filler() as fill:
        filled = {size: filled_entity(fill, created.workspace, size, count) for size in sizes}
        fill.finish()
        for entity, _ in filled.values():
            build_index(entity)
        with server() as address, httpx.Client(base_url=address, headers=bearer(created.token)) as client:
            told["http"] = {size: _timed(client, *filled[size], count) for size in sizes}
        entity, queries = filled[sizes[-1]]
        told["sql"] = sql_milliseconds(entity, queries[:count])
        told["losses"] = losses(entity, queries[:count])
        if others:
            told["others"] = _multiply(fill, entity, sizes[-1], others)
            with (
                server() as address,
                httpx.Client(base_url=address, headers=bearer(created.token)) as client,
            ):
                told["http_among_others"] = _timed(client, entity, queries, count)
            told["sql_among_others"] = sql_milliseconds(entity, queries[:count])
    return told


@contextmanager
def filler(*, embedded: int | None = None) -> Iterator[Filler]:
    """Fills the database of the settings, which has to be an embedded one.

    With `embedded` so many texts get vectors of their own, and those of the others are drawn around them.
    """
    from django.conf import settings

    from memory.indexing.vectors import current_space
    from memory.llm.embedders.registry import configured_embedder
    from memseek_site.embedded.layout import layout_of
    from memseek_site.embedded.postgres import DATABASE, connect

    embedder = configured_embedder()
    if embedder is None or not settings.IS_DATABASE_EMBEDDED:
        raise SystemExit("This benchmark needs the embedded PostgreSQL and the local embedder.")
    with connect(layout_of(settings.DATA_DIR), DATABASE) as connection:
        fill = Filler(connection, current_space(embedder), Words(SEED, embedded=embedded))
        fill.begin()
        yield fill


def filled_entity(fill: Filler, workspace: Any, size: int, count: int) -> tuple[Entity, list[str]]:
    """An entity of so many atoms, and queries for it."""
    from memory.ingest.entities import ensure_entity

    note(f"{size} atoms are copied")
    entity = ensure_entity(workspace=workspace, name=f"agent.{size}")
    queries = fill.fill(entity, size)
    if len(queries) < count + WARMING:
        raise SystemExit(f"{size} atoms give {len(queries)} queries, {count + WARMING} are needed")
    return entity, queries


def build_index(entity: Entity) -> None:
    """The vector index, where the entity is large enough for one."""
    from memory.indexing.vector_index import build_vector_index, wants_vector_index

    space = _space()
    if wants_vector_index(entity, space):
        note(f"the vector index of {entity.name} is built")
        build_vector_index(entity_id=entity.pk, space_id=space.pk)


def _space() -> EmbeddingSpace:
    from memory.models import EmbeddingSpace

    return EmbeddingSpace.objects.get()


def _multiply(fill: Filler, entity: Entity, size: int, others: int) -> int:
    """Copies of the entity until so many atoms of others are there."""
    from memory.ingest.entities import ensure_entity

    names = [f"agent.other-{number}" for number in range(-(-others // size))]
    note(f"{size * len(names)} atoms of others are copied")
    fill.begin()
    fill.multiply(entity, [ensure_entity(workspace=entity.workspace, name=name) for name in names])
    fill.finish()
    return size * len(names)


def bearer(token: str) -> dict[str, str]:
    """Headers of a key."""
    return {"Authorization": f"Bearer {token}"}


@contextmanager
def server() -> Iterator[str]:
    """A web server of its own process; gives its address when it answers."""
    with served() as web:
        yield web.address


def _timed(client: httpx.Client, entity: Entity, queries: Sequence[str], count: int) -> dict[str, Any]:
    """Milliseconds of distinct queries, after some others that load what is loaded late."""
    note(f"{entity.name} is asked")
    for query in queries[count : count + WARMING]:
        _asked(client, entity, query)
    times, late = [], 0
    for query in queries[:count]:
        began = time.perf_counter()
        arms = _asked(client, entity, query)
        times.append((time.perf_counter() - began) * 1_000)
        late += set(arms.values()) != {"answered"}
    return {**percentiles(times), "without_an_arm": late}


def _asked(client: httpx.Client, entity: Entity, query: str) -> Mapping[str, str]:
    answer = client.get("/api/v1/recall", params={"entity": entity.name, "query": query})
    answer.raise_for_status()
    found: dict[str, Any] = answer.json()
    if not found["hits"]:
        raise SystemExit(f"nothing was found for {query!r}")
    arms: Mapping[str, str] = found["arms"]
    return arms


def percentiles(times: Sequence[float]) -> dict[str, float]:
    """Of some milliseconds."""
    from memory.evaluation.metrics import percentile

    return {f"p{part}": round(percentile(times, part / 100), 2) for part in (50, 95)}


def report(told: Mapping[str, Any]) -> Iterator[str]:
    """The figures beside what is wanted."""
    for size, found in told["http"].items():
        target = TARGET_MILLISECONDS.get(size)
        yield f"{size:>9,} atoms over HTTP: {_shown(found)}" + (f" (wanted {target} ms)" if target else "")
    if "others" in told:
        yield f"the last among {told['others']:,} of others: {_shown(told['http_among_others'])}"
        yield f"its SQL alone: {_shown(told['sql_among_others'])}"
    yield f"SQL alone at the last: {_shown(told['sql'])} (wanted {SQL_TARGET_MILLISECONDS} ms)"
    yield f"top 10 of capped BM25 that are the exact ones: {told['losses']['bm25_top_10_overlap']}"
    found = told["losses"]["vector_index_recall_at_100"]
    yield f"100 nearest that the vector index finds: {found} (wanted {LEAST_INDEX_RECALL})"


def _shown(found: Mapping[str, float]) -> str:
    return f"p50 {found['p50']} ms, p95 {found['p95']} ms"


if __name__ == "__main__":
    main()
