"""`make bench-parts`: where the time of a request goes, by its exchanges with the database.

It tells what bounds a figure of `make bench`. Requests run whole on this process's one thread, through the
chain of middleware and without a network: a page of the timeline, recall, context and a message that is
stored, each at every size. Of each exchange with the database, of the query's embedding and of what is left
(Python's own) it tells the time that passes and the processor time of this thread: the difference is waited
for. Medians; the last line is JSON.
"""

from __future__ import annotations

import argparse
import json
import logging
import statistics
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

from benchmarks.ground import Ground, Memory, Options
from benchmarks.installation import machine, note

if TYPE_CHECKING:
    from django.test import Client

WARMING = 20
PAGE = 100
WHOLE, EMBEDDING, REST = "the whole request", "the query's embedding", "what is left: Python's own"
EXCHANGES = ("kept_texts", "rows", "_read_once")
"""The functions of `memory.queries` through which a request asks the database."""

Spent = tuple[float, float]
"""Milliseconds that passed, and of this thread's processor time."""
Ask = Callable[["Client", str], Any]


class Parts:
    """What each part of the requests took, by its name."""

    def __init__(self) -> None:
        self.spent: dict[str, list[Spent]] = defaultdict(list)
        self._inside: list[list[Spent]] = [[]]

    @contextmanager
    def part(self, name: str) -> Iterator[None]:
        """Time a part; what parts of it take is theirs, not its own."""
        began, began_at_work = time.perf_counter(), time.thread_time()
        self._inside.append([])
        try:
            yield
        finally:
            whole = (
                (time.perf_counter() - began) * 1_000,
                (time.thread_time() - began_at_work) * 1_000,
            )
            within = self._inside.pop()
            self._inside[-1].append(whole)
            own = tuple(whole[place] - sum(part[place] for part in within) for place in (0, 1))
            self.spent[name].append((own[0], own[1]))
            if len(self._inside) == 1:
                self.spent[WHOLE].append(whole)

    def wrapped(self, action: Callable[..., Any], name_of: Callable[..., str]) -> Callable[..., Any]:
        """The same function, timed under the name that its arguments give."""

        def timed(*given: Any, **named: Any) -> Any:
            with self.part(name_of(*given)):
                return action(*given, **named)

        return timed

    def medians(self, requests: int) -> dict[str, dict[str, float]]:
        """Of a request, by part; those that few requests have are left out."""
        return {
            name: {
                "times": round(len(spent) / requests, 2),
                "passes": round(statistics.median(one for one, _ in spent), 2),
                "works": round(statistics.median(one for _, one in spent), 2),
            }
            for name, spent in self.spent.items()
            if len(spent) * 2 >= requests
        }


@contextmanager
def _watching(parts: Parts) -> Iterator[None]:
    from django.db import connection

    from memory import queries
    from memory.llm.embedders.local import LocalEmbedder

    names: Mapping[str, Callable[..., str]] = {
        "kept_texts": lambda *asked: " + ".join(_named(text) for text, _ in asked),
        "rows": lambda name: name,
        "_read_once": lambda _, text, *more: _named(text),
    }
    places: list[tuple[Any, str, Callable[..., str]]] = [
        *((queries, name, names[name]) for name in EXCHANGES),
        (LocalEmbedder, "embed_query", lambda *given: EMBEDDING),
        (connection, "_commit", lambda: "commit"),
    ]
    before = [(place, name, getattr(place, name)) for place, name, _ in places]
    for place, name, name_of in places:
        setattr(place, name, parts.wrapped(getattr(place, name), name_of))
    try:
        yield
    finally:
        for place, name, action in before:
            setattr(place, name, action)


def _named(text: str) -> str:
    """The name of a query, which its text begins with."""
    return text.removeprefix("/* ").partition(" ")[0] if text.startswith("/* ") else "another"


def _requests(memory: Memory) -> Mapping[str, Ask]:
    name = memory.entity.name
    reads = {
        "timeline": ("/timeline", lambda _: {"entity": name, "limit": PAGE}),
        "recall": ("/api/v1/recall", lambda question: {"entity": name, "query": question}),
        "context": ("/api/v1/context", lambda question: {"entity": name, "task": question}),
    }

    def reading(path: str, query: Callable[[str], Mapping[str, Any]]) -> Ask:
        return lambda client, question: client.get(f"{path}?{urlencode(query(question))}")

    def store(client: Client, question: str) -> Any:
        message = {"session": "parts", "role": "user", "text": question}
        body = json.dumps({"entity": name, "messages": [message]})
        return client.post("/records", body, content_type="application/json")

    # Messages come last: what the index does not hold yet is read by every search.
    return {kind: reading(*how) for kind, how in reads.items()} | {"message": store}


def measured(ground: Ground) -> Iterator[dict[str, Any]]:
    """Each kind of request at each size."""
    from django.test import Client

    headers = {name.replace("_", "-"): value for name, value in ground.headers.items()}
    client = Client(SERVER_NAME="127.0.0.1", headers=headers)
    for memory in ground.memories:
        for kind, ask in _requests(memory).items():
            for question in memory.questions(WARMING):
                _refuse_failure(ask(client, question))
            parts = Parts()
            with _watching(parts):
                for question in memory.questions(ground.options.queries):
                    with parts.part(REST):
                        _refuse_failure(ask(client, question))
            yield {"request": kind, "atoms": memory.size, "parts": parts.medians(ground.options.queries)}


def _refuse_failure(response: Any) -> None:
    if response.status_code >= 400:
        raise SystemExit(f"{response.status_code}: {response.content[:300]!r}")


def shown(found: Mapping[str, Any]) -> Iterator[str]:
    """One request as a table."""
    yield f"| {found['request']}, {found['atoms']:,} atoms | times | ms that pass | ms of processor |"
    yield "| --- | ---: | ---: | ---: |"
    for name, part in sorted(found["parts"].items(), key=lambda item: -item[1]["passes"]):
        yield f"| {name} | {part['times']:g} | {part['passes']:g} | {part['works']:g} |"
    yield ""


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.parts", description=__doc__)
    parser.add_argument("--sizes", type=int, nargs="+", default=[1_000, 10_000, 100_000], metavar="ATOMS")
    parser.add_argument("--embedded", type=int, default=30_000, help="as for benchmarks.bench (30,000)")
    parser.add_argument("--queries", type=int, default=90, help="requests of each kind and size (90)")
    given = vars(parser.parse_args())
    found = []
    with Ground(Options(**{**given, "sizes": tuple(sorted(given["sizes"]))})) as ground:
        logging.disable(logging.INFO)
        for one in measured(ground):
            found.append(one)
            for line in shown(one):
                print(line, flush=True)
        told = {"benchmark": "parts", "requests": found, "machine": machine()}
    note("medians of single requests")
    print(json.dumps(told))


if __name__ == "__main__":
    main()
