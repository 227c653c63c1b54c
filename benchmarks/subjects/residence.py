"""Resident memory of web server and worker that have been at work, with local embeddings and without."""

from __future__ import annotations

from collections.abc import Iterator
from urllib.parse import urlencode

from benchmarks.figures import Figure
from benchmarks.ground import Ground, Memory
from benchmarks.load import Request, put
from benchmarks.processes import served, wait_until, working
from benchmarks.subjects.talk import sayings

MEGABYTES = "MB"
ROUNDS = 30
SAID = 20
PROVIDERS = {"without embeddings": "none", "with local embeddings": "local"}


def measure_residence(ground: Ground) -> Iterator[Figure]:
    """Once each process has done what it is there for."""
    memory = min(ground.memories, key=lambda memory: memory.size)
    for words, provider in PROVIDERS.items():
        repetitions = range(ground.options.repetitions)
        web = tuple(_web(ground, memory, provider) for _ in repetitions)
        yield Figure(f"memory of web {words}", MEGABYTES, web)
        worker = tuple(_worker(ground, f"agent.{provider}-{number}", provider) for number in repetitions)
        yield Figure(f"memory of the worker {words}", MEGABYTES, worker)


def _web(ground: Ground, memory: Memory, provider: str) -> float:
    """After recalls, contexts, pages of the timeline and messages."""
    name = memory.entity.name
    requests: list[Request] = []
    for question in memory.questions(ROUNDS):
        requests += [
            ("GET", f"/api/v1/recall?{urlencode({'entity': name, 'query': question})}", None),
            ("GET", f"/api/v1/context?{urlencode({'entity': name, 'task': question})}", None),
            ("GET", f"/timeline?{urlencode({'entity': name})}", None),
            ("POST", "/records", _said(question)),
        ]
    with served(MEMSEEK_EMBEDDING_PROVIDER=provider) as web:
        put([web.address], ground.headers, [requests])
        return web.process.resident_megabytes


def _said(text: str) -> dict[str, object]:
    messages = [{"session": "residence", "role": "assistant", "text": text}]
    return {"entity": "agent.residence", "messages": messages}


def _worker(ground: Ground, name: str, provider: str) -> float:
    """After a conversation that went through all steps and into the index."""
    from memory.ingest.incoming import read_messages
    from memory.ingest.messages import append_messages
    from memory.models import TraitVersion, Unindexed

    entity = ground.entity(name)
    messages = [
        {"session": "talk", "role": "user", "speaker": "Alice", "text": text} for text in sayings(SAID)
    ]
    with working(MEMSEEK_EMBEDDING_PROVIDER=provider) as worker:
        append_messages(entity=entity, messages=read_messages(messages))
        wait_until(TraitVersion.objects.for_entity(entity).exists, "the trait")
        wait_until(lambda: not Unindexed.objects.for_entity(entity).exists(), "the index")
        return worker.resident_megabytes
