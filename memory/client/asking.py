"""What all doors of the client share: one way to ask, to page, and to observe."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from datetime import datetime
from typing import Any, TypeVar

from memory.client.claim_results import Observed, read_observed
from memory.client.errors import ServerError
from memory.client.exchange import Flow, Limits, Reply, Request, exchange
from memory.client.given import Authority, Evidence, SubjectRef, evidence_sent, told
from memory.client.results import Result, read
from memory.client.running import Page, Pages

PAGE_SIZE = 100
MESSAGES_PER_CALL = 100
"""Turns or messages that the server takes in one call."""
SLOW_SECONDS = 180.0
"""For calls in which a model may answer, or a long queue is worked off."""

R = TypeVar("R", bound=Result)


class Asking:
    """Builds flows out of requests."""

    _limits: Limits

    def _ask(
        self,
        method: str,
        path: str,
        *,
        is_slow: bool = False,
        is_once: bool = False,
        query: Any = None,
        body: Any = None,
    ) -> Flow[Reply]:
        """A good reply; `is_once` for what would be there twice if it were sent twice."""
        limits = self._limits.at_least(SLOW_SECONDS) if is_slow else self._limits
        limits = replace(limits, attempts=1) if is_once else limits
        return exchange(Request(method, path, query=query or {}, body=body), limits)

    def _read(self, model: type[R], method: str, path: str, **asked: Any) -> Flow[R]:
        reply = yield from self._ask(method, path, **asked)
        return read(model, reply.value())

    def _pages(
        self,
        model: type[R],
        path: str,
        name: str,
        *,
        limit: int | None,
        query: Mapping[str, Any],
        cursors: tuple[str, str] = ("after", "next_after"),
    ) -> Pages[R]:
        """Items that stand in `name`; the cursors are a parameter and the field that holds its next value."""

        def page(cursor: Any) -> Flow[Page[R]]:
            size = PAGE_SIZE if limit is None else max(1, min(PAGE_SIZE, limit))
            asked = {**query, "limit": size, **({} if cursor is None else {cursors[0]: cursor})}
            reply = yield from self._ask("GET", path, query=asked)
            return Page(listed(model, reply, name), reply.value().get(cursors[1]))

        return Pages(page, limit)

    def _observe(self, path: str, **fields: Any) -> Flow[Observed]:
        reply = yield from self._ask("POST", path, body=fields)
        return read_observed(reply.value())


def listed(model: type[R], reply: Reply, name: str) -> tuple[R, ...]:
    """The items of a reply's list; ServerError when there is none."""
    value = reply.value()
    items = value.get(name) if isinstance(value, dict) else None
    if not isinstance(items, list):
        raise ServerError(f"The reply has no list {name}.", status=reply.status)
    return tuple(read(model, item) for item in items)


def observation_sent(
    subject: SubjectRef,
    predicate: str,
    value: Any,
    authority: Authority | str,
    evidence: Iterable[Evidence],
    times: Mapping[str, datetime | None],
) -> dict[str, Any]:
    """An observation as the API takes it. ValueError for an unknown authority."""
    return {
        "subject": subject.model_dump(),
        "predicate": predicate,
        "value": value,
        "authority": Authority(authority).value,
        "evidence": evidence_sent(evidence),
        **told(**times),
    }
