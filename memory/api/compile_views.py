"""The context of a turn, ready for a model."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any, cast
from uuid import UUID

from rest_framework.request import Request
from rest_framework.response import Response

from memory.api.authentication import CanRead, require_scope
from memory.api.reading import read_body
from memory.api.requests import CompileAsked
from memory.api.translating import compile_request
from memory.api.views import JsonView
from memory.ingest.sessions import session_with
from memory.models import Session, Use
from memory.recall.compiling import Compiled, compile_context
from memory.skills.uses import record_compiled


class CompileView(JsonView):
    """`POST /sessions/{id}/context`."""

    permission_classes = [CanRead]

    def post(self, request: Request, session_id: UUID) -> Response:
        """Chat messages for the next reply of a session; with `record_use` they are noted as handed out."""
        asked = read_body(CompileAsked, cast(dict[str, Any], request.data))
        if asked.record_use:
            require_scope(request, "write")
        session = session_with(self.access(), session_id)
        compiled = compile_context(session, compile_request(asked))
        value = {"session": session.pk, "entity": session.entity.name, **_compiled_value(compiled)}
        if asked.record_use:
            value["use"] = self._recorded(session, compiled, asked).pk
        return Response(value)

    def _recorded(self, session: Session, compiled: Compiled, asked: CompileAsked) -> Use:
        return record_compiled(
            session=session,
            compiled=compiled,
            query=asked.query,
            keeps_text=asked.keep_text,
            key=self.access().key,
        )


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
