"""The context of a turn, ready for a model."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any, cast
from uuid import UUID

from rest_framework.request import Request
from rest_framework.response import Response

from memory.api.authentication import CanRead
from memory.api.reading import read_body
from memory.api.requests import CompileAsked
from memory.api.translating import compile_request
from memory.api.views import JsonView
from memory.ingest.sessions import session_with
from memory.recall.compiling import Compiled, compile_context


class CompileView(JsonView):
    """`POST /sessions/{id}/context`."""

    permission_classes = [CanRead]

    def post(self, request: Request, session_id: UUID) -> Response:
        """Chat messages for the next reply of a session; asks no model."""
        asked = read_body(CompileAsked, cast(dict[str, Any], request.data))
        session = session_with(self.access(), session_id)
        compiled = compile_context(session, compile_request(asked))
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
