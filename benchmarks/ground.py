"""What the subjects of `benchmarks.bench` share: an installation, filled once, a web server and a model.

Nothing is made before a subject asks for it.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Self

from benchmarks.answers import answer_to
from benchmarks.cascade import stub_settings
from benchmarks.installation import installation
from benchmarks.ladder_data import add_ladder
from benchmarks.processes import Served, served
from benchmarks.recall import bearer, build_index, filled_entity, filler
from tests.stub_provider import Reply, StubProvider

if TYPE_CHECKING:
    from memory.ingest.workspaces import CreatedWorkspace
    from memory.models import Entity


@dataclass(frozen=True)
class Options:
    """How much is measured."""

    sizes: tuple[int, ...] = (1_000, 10_000, 100_000)
    """Atoms of the memories that are filled."""
    repetitions: int = 3
    queries: int = 90
    """Requests of each repetition of what is read."""
    writes: int = 300
    """Requests of each client and repetition that store one message."""
    batches: int = 40
    """The same of those that store a hundred."""
    entities: int = 7
    """Fresh ones of each repetition that climb the ladder."""
    talk: int = 100
    """Messages of a conversation whose calls and tokens are counted."""
    is_real_time: bool = False
    """Let the conversation take as long as it would; else the clock runs ten times as fast."""
    backlog: int = 400
    """Messages that are stored at once."""
    embedded: int = 220_000
    """Texts that are embedded; vectors of all others are drawn around theirs."""


class Memory:
    """An entity that was filled, and questions for it, of which no two are alike."""

    def __init__(self, entity: Entity, size: int, queries: Sequence[str]) -> None:
        self.entity = entity
        self.size = size
        self.queries = queries
        self._questions = self._endless()

    def questions(self, count: int) -> list[str]:
        """So many that were not given out before: a query's vector is remembered for a while."""
        return [next(self._questions) for _ in range(count)]

    def _endless(self) -> Iterator[str]:
        yield from self.queries
        turn = 1
        while True:
            turn += 1
            yield from (f"{query} (asked {turn} times)" for query in self.queries)


class Ground:
    """One installation; to be used as a context manager."""

    def __init__(self, options: Options) -> None:
        self.options = options
        self.stub = StubProvider(respond=lambda body: Reply.json(answer_to(body)))
        self._ends = ExitStack()

    def __enter__(self) -> Self:
        self._ends.enter_context(self.stub)
        settings = stub_settings(self.stub.base_url) | index_settings(max(self.options.sizes))
        self._ends.enter_context(installation(MEMSEEK_EMBEDDING_PROVIDER="local", **settings))
        return self

    def __exit__(self, *error: object) -> None:
        self._ends.close()

    @cached_property
    def created(self) -> CreatedWorkspace:
        """A workspace and its key."""
        from memory.ingest.workspaces import create_workspace

        return create_workspace(name="bench")

    @property
    def headers(self) -> dict[str, str]:
        """Of requests with the workspace's key."""
        return bearer(self.created.token)

    @cached_property
    def web(self) -> Served:
        """A web server that stays until the end."""
        return self._ends.enter_context(served())

    @cached_property
    def memories(self) -> list[Memory]:
        """Entities of all sizes with atoms, messages, scenes, persona and rules, indexed."""
        with filler(embedded=self.options.embedded) as fill:
            made = [self._filled(fill, size) for size in self.options.sizes]
            fill.finish()
        for memory in made:
            build_index(memory.entity)
            add_ladder(memory.entity)
        return made

    @property
    def largest(self) -> Memory:
        """The memory of the largest size."""
        return max(self.memories, key=lambda memory: memory.size)

    def _filled(self, fill: Any, size: int) -> Memory:
        entity, queries = filled_entity(fill, self.created.workspace, size, 0)
        return Memory(entity, size, queries)

    def entity(self, name: str) -> Entity:
        """A fresh entity, or the one of this name."""
        from memory.ingest.entities import ensure_entity

        return ensure_entity(workspace=self.created.workspace, name=name)


def index_settings(atoms: int) -> dict[str, str]:
    """What the vector index of so many atoms is built with: as shipped, unless its graph would not fit."""
    from memseek_site.model_reading import MOST_INDEX_WORKERS

    shipped, vectors_of_an_atom, kilobytes_of_a_vector = 512, 2, 1.8
    wanted = int(atoms * vectors_of_an_atom * kilobytes_of_a_vector / 1_024)
    if wanted <= shipped:
        return {}
    return {
        "MEMSEEK_VECTOR_INDEX_MEGABYTES": str(wanted),
        "MEMSEEK_VECTOR_INDEX_WORKERS": str(min((os.cpu_count() or 1) - 1, MOST_INDEX_WORKERS)),
    }


def leave_in_peace(entity: Entity) -> None:
    """Nothing of the entity waits for a worker any more: a subject that comes later would pay for it."""
    from memory.models import Message, Session, Unindexed, Work
    from memory.models.base import new_id

    Message.objects.for_entity(entity).pending().update(consumed_by_id=new_id())
    Session.objects.for_entity(entity).update(fold_asked_at=None)
    Unindexed.objects.for_entity(entity).delete()
    Work.objects.for_entity(entity).update(due_at=None)
