"""Claims and the graph that is made from them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

from memory.client import results
from memory.client.asking import Asking, listed, observation_sent
from memory.client.claim_results import Claim, Observed
from memory.client.exchange import Flow, Pause
from memory.client.given import Authority, Evidence, SubjectRef, names, told
from memory.client.running import Pages, door, listing

PROMOTION_SECONDS = 10.0
LOOK_SECONDS = 0.2


class ClaimDoors(Asking):
    """What is asserted, and facts."""

    @door
    def observe(
        self,
        *,
        entity: str,
        subject: SubjectRef,
        predicate: str,
        value: Any,
        authority: Authority | str,
        evidence: Iterable[Evidence],
        valid_from: datetime | None = None,
        valid_until: datetime | None = None,
        said_at: datetime | None = None,
    ) -> Flow[Observed]:
        """The same as `Session.observe`, for an entity outside of any session."""
        times = {"valid_from": valid_from, "valid_until": valid_until, "said_at": said_at}
        body = observation_sent(subject, predicate, value, authority, evidence, times)
        return (yield from self._observe("claims", entity=entity, **body))

    @listing
    def claims(
        self,
        *,
        entity: str,
        subject: SubjectRef | None = None,
        predicate: str | None = None,
        state: Sequence[str] | str = (),
        limit: int | None = None,
    ) -> Pages[Claim]:
        """Claims, in the order of their making; a `predicate` may be a pattern such as `billing.*`."""
        about = {} if subject is None else {"subject_kind": subject.kind, "subject_id": subject.identifier}
        query = told(entity=entity, predicate=predicate, state=names(state), **about)
        return self._pages(Claim, "claims", "claims", limit=limit, query=query)

    @door
    def claim_history(self, claim_id: UUID | str) -> Flow[tuple[Claim, ...]]:
        """All that was said about the matter of a claim, each with its state and its evidence."""
        reply = yield from self._ask("GET", f"claims/{UUID(str(claim_id))}/history")
        return listed(Claim, reply, "history")

    @door
    def graph(
        self,
        *,
        entity: str,
        query: str | None = None,
        subject: SubjectRef | None = None,
        depth: int | None = None,
        limit: int | None = None,
        as_of: datetime | None = None,
    ) -> Flow[results.Graph]:
        """Facts that speak of a query, or those around a thing; the server takes one of the two."""
        about = {} if subject is None else {"subject_kind": subject.kind, "subject_id": subject.identifier}
        asked = told(entity=entity, query=query, depth=depth, limit=limit, as_of=as_of, **about)
        return (yield from self._read(results.Graph, "GET", "graph", query=asked))

    @door
    def promote(self, *, entity: str, wait_seconds: float = PROMOTION_SECONDS) -> Flow[results.Promoted]:
        """Bring the graph of an entity up to date now; a worker does it by itself a little later.

        Atoms that a worker has in hand just then are waited for. `waiting` counts those that still wait when
        the time is over, for a person has paused the step or a run failed.
        """
        ends_at = self._limits.clock() + wait_seconds
        done = yield from self._promote(entity)
        while done.waiting and not done.failed and self._limits.clock() < ends_at:
            yield Pause(LOOK_SECONDS)
            done = done.plus((yield from self._promote(entity)))
        return done

    def _promote(self, entity: str) -> Flow[results.Promoted]:
        body = {"entity": entity}
        return (yield from self._read(results.Promoted, "POST", "graph/refresh", body=body, is_slow=True))
