"""How many messages a second are stored over HTTP, and how that changes with the size of the memory."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from benchmarks.figures import Figure
from benchmarks.ground import Ground, leave_in_peace
from benchmarks.load import Load, Request, put
from benchmarks.processes import Served, database_seconds, served

CLIENTS = 8
BATCH = 100
WARMING = 10
RATE = "messages/s"
WORDS = (
    "We moved the release of the billing service to the second week of June, and Ana will check the import "
    "job with the people in Turin before anybody deploys it."
)


def measure_ingest(ground: Ground) -> Iterator[Figure]:
    """Eight clients: one message a request to eight entities and to one, batches, and to filled memories.

    The first also where a second web process takes half of the clients. Each client has a session of its own.
    """
    options = ground.options
    eight = [f"agent.ingest-{number}" for number in range(CLIENTS)]
    one = ["agent.ingest-one"] * CLIENTS
    yield _figure(ground, "ingest, 8 entities", eight, options.writes)
    yield _figure(ground, "ingest, one entity", one, options.writes)
    yield _figure(ground, "ingest, batches of 100", eight, options.batches, batch=BATCH)
    with served() as second:
        yield _figure(ground, "ingest, two web processes", eight, options.writes, beside=[second])
    for memory in ground.memories:
        names = [memory.entity.name] * CLIENTS
        yield _figure(ground, "ingest into a memory", names, options.writes, size=memory.size)
    for name in {*eight, *one, *(memory.entity.name for memory in ground.memories)}:
        leave_in_peace(ground.entity(name))


def _figure(
    ground: Ground,
    name: str,
    entities: Sequence[str],
    requests: int,
    *,
    batch: int = 1,
    size: int | None = None,
    beside: Sequence[Served] = (),
) -> Figure:
    before, webs = _stored(), [ground.web, *beside]
    used = _web_seconds(webs), database_seconds()
    loads = [
        _load(ground, webs, f"{name} {repetition}", entities, requests, batch)
        for repetition in range(ground.options.repetitions)
    ]
    sent = len(loads) * len(entities) * (WARMING + requests) * batch
    if _stored() - before != sent:
        raise SystemExit(f"{sent} messages were sent, {_stored() - before} are stored")
    web, database = (_web_seconds(webs) - used[0]) / sent, (database_seconds() - used[1]) / sent
    clients = sum(load.processor_seconds for load in loads) / sent
    told = f"web {web * 1_000:.2f}, database {database * 1_000:.2f}, clients {clients * 1_000:.2f}"
    rates = tuple(len(load.milliseconds) * batch / load.seconds for load in loads)
    return Figure(name, RATE, rates, size, note=f"milliseconds of processor a message: {told}")


def _web_seconds(webs: Sequence[Served]) -> float:
    return sum(web.process.processor_seconds for web in webs)


def _load(
    ground: Ground,
    webs: Sequence[Served],
    round_name: str,
    entities: Sequence[str],
    requests: int,
    batch: int,
) -> Load:
    plans = [
        [_request(entity, f"{round_name}, {client}", number, batch) for number in range(WARMING + requests)]
        for client, entity in enumerate(entities)
    ]
    return put([web.address for web in webs], ground.headers, plans, warming=WARMING)


def _request(entity: str, session: str, number: int, batch: int) -> Request:
    messages = [
        {"session": session, "role": "user", "speaker": "Alice", "text": f"{WORDS} ({number}.{place})"}
        for place in range(batch)
    ]
    return "POST", "/records", {"entity": entity, "messages": messages}


def _stored() -> int:
    from memory.models import Message

    return Message.objects.count()
