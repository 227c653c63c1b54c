"""Recall, context, answer and trace."""

from __future__ import annotations

from typing import Any, TypeVar, cast

from pydantic import BaseModel
from rest_framework.request import Request
from rest_framework.response import Response

from memory.api import recall_bodies as bodies
from memory.api.authentication import CanRead, require_scope
from memory.api.errors import RequestRefused
from memory.api.operations import operation
from memory.api.reading import read_body, read_query
from memory.api.requests import AnswerAsked, ContextAsked, RecallAsked, SharedAsked, TraceAsked
from memory.api.translating import context_request, memories_of, question_of, search_request
from memory.api.views import JsonView
from memory.limiting.rates import Kind
from memory.measuring.answers import recorded_answer
from memory.models import Entity
from memory.recall.context import render_context
from memory.recall.search import search
from memory.recall.sharing import search_shared
from memory.recall.trace import trace, uses
from memory.skills.uses import record_context

Model = TypeVar("Model", bound=BaseModel)


class AskedView(JsonView):
    """An endpoint that reads, asked by a query string or, when there is much to say, by a body."""

    is_repeatable = True
    limit_kind = Kind.READ
    permission_classes = [CanRead]

    def asked(self, model: type[Model]) -> Model:
        """What is asked, from where the method has it."""
        if self.request.method == "POST":
            return read_body(model, cast(dict[str, Any], self.request.data))
        return read_query(model, self.request.query_params)

    def memories(self, asked: SharedAsked) -> tuple[Entity, tuple[Entity, ...]]:
        """The entity that is asked for, and those that are shared with it and wanted."""
        return memories_of(self.access(), asked)


class RecallView(AskedView):
    """`GET` and `POST /recall`."""

    @operation("Recall", query=RecallAsked, returns=bodies.RecallBody)
    def get(self, request: Request) -> Response:
        """What memory holds about a query, each result with the terms of its score and its words."""
        asked = self.asked(RecallAsked)
        entity, others = self.memories(asked)
        wanted = search_request(entity, asked)
        found = search(entity, wanted)
        shared = search_shared(others, wanted) if asked.shared else None
        return Response(bodies.recall_body(entity, found, shared))

    @operation("Recall, asked by a body", body=RecallAsked, returns=bodies.RecallBody)
    def post(self, request: Request) -> Response:
        """The same as by a query string."""
        return self.get(request)


class ContextView(AskedView):
    """`GET` and `POST /context`."""

    @operation("Render a context", query=ContextAsked, returns=bodies.ContextBody)
    def get(self, request: Request) -> Response:
        """What an agent should be told before a task, within its budgets, and the account of it."""
        asked = self.asked(ContextAsked)
        if asked.record_use:
            raise RequestRefused("record_use: is taken by POST alone.")
        entity, others = self.memories(asked)
        context = render_context(entity, context_request(entity, asked), shared=others)
        return Response(bodies.context_body(entity, context))

    @operation(
        "Render a context, asked by a body",
        body=ContextAsked,
        returns=bodies.ContextBody,
        errors=(409,),
        needs="`record_use` needs scope `write`.",
    )
    def post(self, request: Request) -> Response:
        """The same; with `record_use` what was handed out is stored, and the reply names it."""
        asked = self.asked(ContextAsked)
        if not asked.record_use:
            return self.get(request)
        require_scope(request, "write")
        entity = self.access().entity(asked.entity)
        context = render_context(entity, context_request(entity, asked), shared=self.memories(asked)[1])
        use = record_context(
            entity=entity,
            context=context,
            task=asked.task,
            keeps_text=asked.keep_text,
            key=self.access().key,
        )
        return Response({**bodies.context_body(entity, context), "use": use.pk})


class AnswerView(AskedView):
    """`POST /answer`."""

    limit_kind = Kind.EXPENSIVE

    @operation("Answer a question", body=AnswerAsked, returns=bodies.AnswerBody | bodies.AnswersBody)
    def post(self, request: Request) -> Response:
        """A cited reply to a question; it may ask the configured model."""
        asked = self.asked(AnswerAsked)
        question = question_of(asked)
        entity, others = self.memories(asked)
        answer = recorded_answer(entity, question)
        if not asked.shared:
            return Response(bodies.answer_body(entity, answer))
        shared = [bodies.answer_body(one, recorded_answer(one, question)) for one in others]
        return Response(bodies.answers_body(entity, answer, shared))


class TraceView(AskedView):
    """`GET /trace`."""

    @operation("Trace a record", query=TraceAsked, returns=bodies.TraceBody, errors=(409,))
    def get(self, request: Request) -> Response:
        """What a record rests on, down to the words, and what rests on it."""
        asked = self.asked(TraceAsked)
        entity = self.access().readable(asked.entity)
        return Response(bodies.trace_body(entity, trace(entity, asked.id), uses(entity, asked.id)))
