"""The context of a turn as a JSON value."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NotRequired
from uuid import UUID

from typing_extensions import TypedDict

from memory.claims.graph import Fact
from memory.models import Session
from memory.recall.compiling import Compiled
from memory.recall.compiling.compiled import RecalledClaim


class CompiledBody(TypedDict):
    """Chat messages ready for a model, and the account of them."""

    session: UUID
    entity: str
    messages: Sequence[Mapping[str, Any]]
    """In OpenAI's chat schema; a call of a tool is always followed by its results."""
    recalled_claims: tuple[RecalledClaim, ...]
    recalled_semantic: tuple[Fact, ...]
    """Facts of the graph, the nearest first."""
    tokens: int
    stable_messages: int
    """So many of the messages, from the first on, depend on neither query nor clock."""
    stable_prefix_bytes: int
    """Their length as compact JSON with sorted keys."""
    sha256: str
    """Of the messages as compact JSON with sorted keys."""
    manifest: Mapping[str, Any]
    """The account: parts with ids shown and left out, tokens, arms, live sources, hash."""
    use: NotRequired[UUID]
    """With `record_use`: feedback names it."""


def compiled_body(session: Session, compiled: Compiled) -> CompiledBody:
    """The body of `/sessions/{id}/context`."""
    return {
        "session": session.pk,
        "entity": session.entity.name,
        "messages": compiled.messages,
        "recalled_claims": compiled.recalled_claims,
        "recalled_semantic": compiled.recalled_semantic,
        "tokens": compiled.tokens,
        "stable_messages": compiled.stable_messages,
        "stable_prefix_bytes": compiled.stable_prefix_bytes,
        "sha256": compiled.sha256,
        "manifest": compiled.manifest,
    }
