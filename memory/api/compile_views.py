"""The context of a turn, ready for a model."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any, Literal, cast
from uuid import UUID

from pydantic import BaseModel, ConfigDict, Field
from rest_framework.request import Request
from rest_framework.response import Response

from memory.api.authentication import CanRead
from memory.api.errors import RequestRefused
from memory.api.reading import read_body
from memory.api.requests import Kinds, Layers, Moment, Name, Names, Priority, Words
from memory.api.translating import LAYERS
from memory.api.views import JsonView
from memory.ingest.sessions import session_with
from memory.models import Layer
from memory.recall.arms import Filters
from memory.recall.compiling import Compiled, CompileRequest, compile_context
from memory.recall.compiling.request import DEFAULT_BUDGET, MOST_DEPTH
from memory.recall.tokens import safety_for


class CompileAsked(BaseModel):
    """`POST /sessions/{id}/context`."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    query: Words | None = None
    """None takes the newest words of a user."""
    strategy: Literal["text", "vector", "hybrid", "graph"] = "hybrid"
    depth: int | None = Field(default=None, ge=0, le=MOST_DEPTH)
    budget: int = DEFAULT_BUDGET
    layers: Layers = ()
    kinds: Kinds = ()
    topics: Names = ()
    since: Moment | None = None
    until: Moment | None = None
    rules_floor: Priority | None = None
    as_of: Moment | None = None
    live: bool = True
    model: Name | None = None
    """The model that will read it: some cut text into more tokens."""

    def request(self) -> CompileRequest:
        """The same as recall takes it; RequestRefused for a budget that cannot be kept."""
        filters = Filters(
            layers=tuple(LAYERS[name] for name in self.layers) or tuple(Layer),
            since=self.since,
            until=self.until,
            kinds=self.kinds,
            topics=self.topics,
        )
        try:
            return CompileRequest(
                query=self.query,
                budget=self.budget,
                strategy=self.strategy,
                depth=self.depth,
                filters=filters,
                rules_floor=self.rules_floor,
                as_of=self.as_of,
                uses_live=self.live,
                safety=1.0 if self.model is None else safety_for(self.model),
            )
        except ValueError as error:
            raise RequestRefused(str(error)) from error


class CompileView(JsonView):
    """`POST /sessions/{id}/context`."""

    permission_classes = [CanRead]

    def post(self, request: Request, session_id: UUID) -> Response:
        """Chat messages for the next reply of a session; asks no model."""
        asked = read_body(CompileAsked, cast(dict[str, Any], request.data))
        session = session_with(self.access(), session_id)
        compiled = compile_context(session, asked.request())
        return Response({"session": session.pk, "entity": session.entity.name, **_compiled_value(compiled)})


def _compiled_value(compiled: Compiled) -> dict[str, Any]:
    return {
        "messages": compiled.messages,
        "recalled_claims": [asdict(claim) for claim in compiled.recalled_claims],
        "recalled_semantic": [asdict(fact) for fact in compiled.recalled_semantic],
        "tokens": compiled.tokens,
        "stable_messages": compiled.stable_messages,
        "stable_prefix_bytes": compiled.stable_prefix_bytes,
        "sha256": compiled.sha256,
        "manifest": compiled.manifest,
    }
