"""The context of a turn, ready for a model."""

from __future__ import annotations

from typing import Any, cast
from uuid import UUID

from rest_framework.request import Request
from rest_framework.response import Response

from memory.api.authentication import CanRead, require_scope
from memory.api.compile_bodies import CompiledBody, compiled_body
from memory.api.operations import operation
from memory.api.reading import read_body
from memory.api.requests import CompileAsked
from memory.api.translating import compile_request
from memory.api.views import JsonView
from memory.ingest.sessions import session_with
from memory.limiting.rates import Kind
from memory.models import Session, Use
from memory.recall.compiling import Compiled, compile_context
from memory.skills.uses import record_compiled


class CompileView(JsonView):
    """`POST /sessions/{id}/context`."""

    is_repeatable = True
    limit_kind = Kind.READ
    permission_classes = [CanRead]

    @operation(
        "Compile the context of a reply",
        body=CompileAsked,
        returns=CompiledBody,
        errors=(409,),
        needs="`record_use` needs scope `write`.",
    )
    def post(self, request: Request, session_id: UUID) -> Response:
        """Chat messages for the next reply of a session; with `record_use` they are noted as handed out."""
        asked = read_body(CompileAsked, cast(dict[str, Any], request.data))
        if asked.record_use:
            require_scope(request, "write")
        session = session_with(self.access(), session_id, is_reading=not asked.record_use)
        compiled = compile_context(session, compile_request(asked))
        body = compiled_body(session, compiled)
        if asked.record_use:
            body["use"] = self._recorded(session, compiled, asked).pk
        return Response(body)

    def _recorded(self, session: Session, compiled: Compiled, asked: CompileAsked) -> Use:
        return record_compiled(
            session=session,
            compiled=compiled,
            query=asked.query,
            keeps_text=asked.keep_text,
            key=self.access().key,
        )
