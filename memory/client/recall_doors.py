"""Reading a memory: recall, contexts, answers, lists and traces."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, Literal
from uuid import UUID

from memory.client import results
from memory.client.asking import Asking
from memory.client.exchange import Flow
from memory.client.given import names, told
from memory.client.running import Pages, door, listing


class RecallDoors(Asking):
    """Words out."""

    @door
    def recall(
        self,
        query: str,
        *,
        entity: str,
        limit: int | None = None,
        layers: Sequence[str] | str = (),
        kinds: Sequence[str] | str = (),
        topics: Sequence[str] | str = (),
        session: str | None = None,
        since: datetime | None = None,
        until: datetime | None = None,
        words: bool = True,
        meaning: bool = True,
        shared: Sequence[str] | str = (),
    ) -> Flow[results.RecalledWithShared]:
        """What memory holds about a query, best first, each result with the words that it rests on.

        `shared` names entities whose memory is shared with this one, or `all`: each is a group of its own.
        """
        filters = _filters(layers, kinds, topics, session, since, until, meaning)
        asked = told(query=query, entity=entity, limit=limit, words=words, shared=names(shared))
        return (
            yield from self._read(results.RecalledWithShared, "POST", "recall", body={**asked, **filters})
        )

    @door
    def context(
        self,
        task: str,
        *,
        entity: str,
        budgets: Mapping[str, int] | None = None,
        total: int | None = None,
        rules_floor: int | None = None,
        as_of: datetime | None = None,
        evolution_record: bool = False,
        model: str | None = None,
        layers: Sequence[str] | str = (),
        kinds: Sequence[str] | str = (),
        topics: Sequence[str] | str = (),
        session: str | None = None,
        since: datetime | None = None,
        until: datetime | None = None,
        meaning: bool = True,
        record_use: bool = False,
        keep_text: bool = False,
        shared: Sequence[str] | str = (),
    ) -> Flow[results.TaskContext]:
        """The text that an agent should get before a task, within budgets of tokens by block.

        `shared` takes in what other entities share with this one, in a block of its own; the manifest says
        from whom.

        With `record_use` the server notes what it handed out, and `use` of the result names it for feedback;
        with `keep_text` the words too. Both need scope write.
        """
        body = told(
            task=task,
            entity=entity,
            budgets=dict(budgets) if budgets else None,
            total=total,
            rules_floor=rules_floor,
            as_of=as_of,
            evolution_record=evolution_record,
            model=model,
            record_use=record_use or None,
            keep_text=keep_text or None,
            shared=names(shared),
        )
        filters = _filters(layers, kinds, topics, session, since, until, meaning)
        return (yield from self._read(results.TaskContext, "POST", "context", body={**body, **filters}))

    @door
    def answer(
        self, question: str, *, entity: str, shared: Sequence[str] | str = ()
    ) -> Flow[results.AnswerWithShared]:
        """A cited reply from memory alone; the server may ask its model.

        Memories that are `shared` with the entity answer by themselves, each with its own citations.
        """
        body = told(question=question, entity=entity, shared=names(shared))
        return (yield from self._read(results.AnswerWithShared, "POST", "answer", body=body, is_slow=True))

    @listing
    def timeline(
        self,
        *,
        entity: str,
        collections: Sequence[str] = (),
        types: Sequence[str] = (),
        status: Literal["active", "all"] = "active",
        limit: int | None = None,
    ) -> Pages[results.Record]:
        """Records of every layer, newest first; with status `all` also what was replaced."""
        query = told(entity=entity, status=status, collections=tuple(collections), types=tuple(types))
        cursors = ("before", "next_before")
        return self._pages(results.Record, "timeline", "records", limit=limit, query=query, cursors=cursors)

    @listing
    def rules(
        self, *, entity: str, floor: int | None = None, limit: int | None = None
    ) -> Pages[results.Atom]:
        """All standing rules at or above a floor of priority, most important first."""
        query = told(entity=entity, floor=floor)
        return self._pages(results.Atom, "rules", "rules", limit=limit, query=query)

    @listing
    def atoms(
        self,
        *,
        entity: str,
        kind: Sequence[str] | str = (),
        state: Sequence[str] | str = (),
        topic: Sequence[str] | str = (),
        priority_from: int | None = None,
        priority_to: int | None = None,
        since: datetime | None = None,
        until: datetime | None = None,
        limit: int | None = None,
    ) -> Pages[results.Atom]:
        """The atoms that a filter lets through, in the order of their making; live ones without a `state`."""
        query = told(
            entity=entity,
            kind=names(kind),
            state=names(state),
            topic=names(topic),
            priority_from=priority_from,
            priority_to=priority_to,
            since=since,
            until=until,
        )
        return self._pages(results.Atom, "atoms", "atoms", limit=limit, query=query)

    @listing
    def sessions(self, *, entity: str, limit: int | None = None) -> Pages[results.SessionSummary]:
        """The conversations of an entity, in the order in which they were opened."""
        query = {"entity": entity}
        return self._pages(results.SessionSummary, "sessions", "sessions", limit=limit, query=query)

    @door
    def trace(self, record_id: UUID | str, *, entity: str) -> Flow[results.Trace]:
        """What a record rests on, down to the words, and what rests on it; a short id will do."""
        query = {"entity": entity, "id": str(record_id)}
        return (yield from self._read(results.Trace, "GET", "trace", query=query))


def _filters(
    layers: Sequence[str] | str,
    kinds: Sequence[str] | str,
    topics: Sequence[str] | str,
    session: str | None,
    since: datetime | None,
    until: datetime | None,
    meaning: bool,
) -> dict[str, Any]:
    """What narrows a search, as the API takes it."""
    named = {"layers": names(layers), "kinds": names(kinds), "topics": names(topics)}
    return told(**named, session=session, since=since, until=until, meaning=meaning)
