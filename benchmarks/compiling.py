"""`python -m benchmarks.compiling`: what compiling the context of a turn takes beside recall alone.

An entity of 10,000 atoms is filled by COPY, 200 claims are observed and promoted, a session of 200 turns is
added through the API and indexed, and a real server is asked for both calls by turns over the loopback, the
embedding of each question included. The last line is JSON.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import httpx

from benchmarks.installation import installation, machine, note
from benchmarks.recall import WARMING, bearer, build_index, filled_entity, filler, percentiles, server

MOST_RATIO = 1.5
TURNS_AT_ONCE = 100
CLAIMS = 200


def main() -> None:
    """Fill, measure, print."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.compiling", description=__doc__)
    parser.add_argument("--atoms", type=int, default=10_000, help="of the entity (10,000)")
    parser.add_argument("--turns", type=int, default=200, help="of the session (200)")
    parser.add_argument("--queries", type=int, default=200, help="for each figure (200)")
    options = parser.parse_args()
    with installation(MEMSEEK_EMBEDDING_PROVIDER="local"):
        told = measure(options.atoms, options.turns, options.queries) | machine()
    for line in report(told):
        print(line)
    print(json.dumps(told))


def measure(atoms: int, turns: int, count: int) -> dict[str, Any]:
    """All figures."""
    from memory.ingest.workspaces import create_workspace

    created = create_workspace(name="benchmark")
    with filler() as fill:
        entity, queries = filled_entity(fill, created.workspace, atoms, count)
        fill.finish()
        build_index(entity)
    observe_claims(entity, queries)
    with server() as address, httpx.Client(base_url=address, headers=bearer(created.token)) as client:
        session = with_turns(client, entity, queries, turns)
        timed = _timed(client, entity.name, session, queries, count)
    return {"benchmark": "compiling", "atoms": atoms, "turns": turns, "queries": count, **timed}


def observe_claims(entity: Any, texts: Sequence[str]) -> None:
    """Claims about customers in words of the memory, and the graph of them."""
    from memory.claims.observation import Observation, OutsideEvidence, Subject
    from memory.claims.observing import observe
    from memory.claims.promotion import PromotionWorker
    from memory.models import Authority

    note(f"{CLAIMS} claims are observed")
    for number in range(CLAIMS):
        first, *_, last = texts[number % len(texts)].rstrip("?").split()[2:]
        observation = Observation(
            subject=Subject("customer", f"{first}-{number}"),
            predicate=f"billing.plan{number % 10}",
            value={"kind": "plan", "id": last},
            authority=Authority.APPLICATION,
            evidence=(OutsideEvidence("tool_event", f"plan.selected.{number}"),),
        )
        observe(entity=entity, observation=observation)
    PromotionWorker(entity).run_once()


def with_turns(client: httpx.Client, entity: Any, texts: Sequence[str], count: int) -> str:
    """A session of so many turns, indexed."""
    from memory.indexing.step import index_entity

    note(f"{count} turns are added")
    opened = client.post("/api/v1/sessions", json={"entity": entity.name}).raise_for_status().json()
    address = f"/api/v1/sessions/{opened['id']}"
    for start in range(0, count, TURNS_AT_ONCE):
        turns = [
            {"role": ("user", "assistant")[place % 2], "text": f"Turn {place}: {texts[place % len(texts)]}"}
            for place in range(start, min(count, start + TURNS_AT_ONCE))
        ]
        client.post(f"{address}/turns", json={"turns": turns}).raise_for_status()
    index_entity(entity_id=entity.pk)
    return str(address)


def _timed(
    client: httpx.Client, entity: str, session: str, queries: Sequence[str], count: int
) -> dict[str, Any]:
    """Both calls in turns, so that whatever else the machine does falls on both."""
    note("both are asked")
    recalled: list[float] = []
    compiled: list[float] = []
    tokens: list[int] = []
    for number, query in enumerate([*queries[count : count + WARMING], *queries[:count]]):
        took, _ = _milliseconds(client, "GET", "/api/v1/recall", params={"entity": entity, "query": query})
        took_compiled, body = _milliseconds(client, "POST", f"{session}/context", json={"query": query})
        if number >= WARMING:
            recalled.append(took)
            compiled.append(took_compiled)
            tokens.append(body["tokens"])
    return {
        "recall": percentiles(recalled),
        "compile": percentiles(compiled),
        "tokens": sum(tokens) // len(tokens),
    }


def _milliseconds(client: httpx.Client, method: str, address: str, **values: Any) -> tuple[float, Any]:
    began = time.perf_counter()
    reply = client.request(method, address, **values)
    took = (time.perf_counter() - began) * 1_000
    return took, reply.raise_for_status().json()


def report(told: Mapping[str, Any]) -> Iterator[str]:
    """The figures beside what is wanted."""
    for part in ("p50", "p95"):
        recall, compiling = told["recall"][part], told["compile"][part]
        ratio = f"{compiling / recall:.2f} times (wanted {MOST_RATIO} at most)"
        yield f"{part}: recall {recall} ms, compile_context {compiling} ms, {ratio}"
    yield f"tokens of a context, on average: {told['tokens']}"


if __name__ == "__main__":
    main()
