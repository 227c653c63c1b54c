"""What reading takes over HTTP by the size of the memory: timeline, recall, context, compile_context."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from urllib.parse import urlencode

import httpx

from benchmarks.compiling import observe_claims, with_turns
from benchmarks.figures import Figure, percentile
from benchmarks.ground import Ground, Memory, leave_in_peace
from benchmarks.load import Load, Request, put

PAGE = 100
CLIENTS = 8
WARMING = 20
"""Requests of each client that are not counted: they load what is loaded late."""
TURNS = 200
MILLISECONDS = "ms"

Ask = Callable[[str], Request]
"""A question as a request."""


def measure_timeline(ground: Ground) -> Iterator[Figure]:
    """A page of a hundred records, the newest ones."""
    for memory in ground.memories:
        page = f"/timeline?{urlencode({'entity': memory.entity.name, 'limit': PAGE})}"

        def ask(_: str, page: str = page) -> Request:
            return "GET", page, None

        yield _figure(ground, memory, "timeline", ask)


def measure_recall(ground: Ground) -> Iterator[Figure]:
    """Distinct questions, their embedding included: by one client, and by eight at once."""
    for memory in ground.memories:
        name = memory.entity.name

        def ask(question: str, name: str = name) -> Request:
            return "GET", f"/api/v1/recall?{urlencode({'entity': name, 'query': question})}", None

        _refuse_losses(ground, memory)
        yield _figure(ground, memory, "recall", ask)
        yield _figure(ground, memory, "recall by 8 clients, p95", ask, clients=CLIENTS, part=95)


def measure_context(ground: Ground) -> Iterator[Figure]:
    """The bounded prompt for a task, of a memory with scenes, persona and rules."""
    for memory in ground.memories:
        name = memory.entity.name

        def ask(question: str, name: str = name) -> Request:
            return "GET", f"/api/v1/context?{urlencode({'entity': name, 'task': question})}", None

        yield _figure(ground, memory, "context", ask)


def measure_compile(ground: Ground) -> Iterator[Figure]:
    """The context of a turn in a session of 200, beside recalled claims and facts of the graph."""
    for memory in ground.memories:
        observe_claims(memory.entity, memory.queries)
        with httpx.Client(base_url=ground.web.address, headers=ground.headers, timeout=60) as client:
            session = with_turns(client, memory.entity, memory.queries, TURNS)
        leave_in_peace(memory.entity)

        def ask(question: str, session: str = session) -> Request:
            return "POST", f"{session}/context", {"query": question}

        yield _figure(ground, memory, "compile_context", ask)


def _figure(
    ground: Ground, memory: Memory, name: str, ask: Ask, *, clients: int = 1, part: int = 50
) -> Figure:
    """A percentile of the milliseconds of each repetition."""
    loads = [_load(ground, memory, ask, clients) for _ in range(ground.options.repetitions)]
    samples = tuple(one for load in loads for one in load.milliseconds)
    values = tuple(percentile(load.milliseconds, part) for load in loads)
    return Figure(name, MILLISECONDS, values, memory.size, samples)


def _load(ground: Ground, memory: Memory, ask: Ask, clients: int) -> Load:
    count = WARMING + ground.options.queries
    plans = [[ask(question) for question in memory.questions(count)] for _ in range(clients)]
    return put([ground.web.address], ground.headers, plans, warming=WARMING)


def _refuse_losses(ground: Ground, memory: Memory) -> None:
    """End the program where a question is answered by nothing, or without one of the arms."""
    [question] = memory.questions(1)
    asked = {"entity": memory.entity.name, "query": question}
    reply = httpx.get(f"{ground.web.address}/api/v1/recall", params=asked, headers=ground.headers, timeout=60)
    found = reply.raise_for_status().json()
    if not found["hits"] or set(found["arms"].values()) != {"answered"}:
        raise SystemExit(f"recall at {memory.size} atoms answered {len(found['hits'])} hits, {found['arms']}")
