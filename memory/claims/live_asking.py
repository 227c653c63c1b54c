"""What a live source is asked, and how: a registered function, or an address."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any, Protocol
from uuid import UUID

from django.conf import settings
from django.utils.module_loading import import_string

from memory.claims.live_addresses import Hosts, LiveError, filled
from memory.claims.live_running import Call
from memory.claims.live_values import storable_value
from memory.llm.pacing import Deadline
from memory.models import Entity, LiveSource


class LiveClaim(Protocol):
    """A claim whose value is fetched: an atom, or what a search shows of one."""

    @property
    def id(self) -> UUID:
        """Of the atom."""
        ...

    @property
    def subject_kind(self) -> str:
        """What its subject is."""
        ...

    @property
    def subject_id(self) -> str:
        """Which one."""
        ...

    @property
    def predicate(self) -> str:
        """What is asked about it."""
        ...

    @property
    def live_source(self) -> str:
        """The source's name; empty for a claim with a value of its own."""
        ...


@dataclass(frozen=True, slots=True)
class LiveQuestion:
    """What a registered function is asked: one claim, and how long an answer is waited for."""

    workspace_id: UUID
    entity: str
    kind: str
    identifier: str
    predicate: str
    timeout_seconds: float


def call_for(entity: Entity, claim: LiveClaim, source: LiveSource, most_seconds: float | None) -> Call:
    """The call that fetches the value of a claim, its time limit begun."""
    seconds = source.timeout_milliseconds / 1_000
    seconds = seconds if most_seconds is None else min(seconds, most_seconds)
    question = LiveQuestion(
        workspace_id=entity.workspace_id,
        entity=entity.name,
        kind=claim.subject_kind,
        identifier=claim.subject_id,
        predicate=claim.predicate,
        timeout_seconds=seconds,
    )
    ask_source = _ask_callable if source.kind == LiveSource.Kind.CALLABLE else _ask_address
    return Call(source.pk, source.name, Deadline(seconds), partial(ask_source, source, question))


def _ask_callable(source: LiveSource, question: LiveQuestion, deadline: Deadline) -> Any:
    path = settings.MEMSEEK.live.callables.get(source.address)
    if path is None:
        raise LiveError("names a function that the settings do not")
    return storable_value(import_string(path)(question), most_bytes=source.most_bytes)


def _ask_address(source: LiveSource, question: LiveQuestion, deadline: Deadline) -> Any:
    # Its client takes 3 MB, which a web process without such sources need not have.
    from memory.claims.live_http import HttpQuestion, ask

    live = settings.MEMSEEK.live
    credential = live.credentials.get(source.credential, "")
    if source.credential and not credential:
        raise LiveError("names a credential that the settings do not")
    names = {"kind": question.kind, "identifier": question.identifier, "predicate": question.predicate}
    url = filled(source.address, names)
    hosts = Hosts(frozenset(live.hosts), frozenset(live.private_hosts))
    return ask(HttpQuestion(url, hosts, source.most_bytes, credential), deadline)
