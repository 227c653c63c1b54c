"""Recall, context, answer and trace."""

from __future__ import annotations

from typing import Any, TypeVar, cast

from pydantic import BaseModel
from rest_framework.request import Request
from rest_framework.response import Response

from memory.api import recall_bodies as bodies
from memory.api.authentication import CanRead, require_scope
from memory.api.errors import RequestRefused
from memory.api.reading import read_body, read_query
from memory.api.requests import AnswerAsked, ContextAsked, RecallAsked, TraceAsked
from memory.api.translating import context_request, question_of, search_request
from memory.api.views import JsonView
from memory.measuring.answers import recorded_answer
from memory.recall.context import render_context
from memory.recall.search import search
from memory.recall.trace import trace, uses
from memory.skills.uses import record_context

Model = TypeVar("Model", bound=BaseModel)


class AskedView(JsonView):
    """An endpoint that reads, asked by a query string or, when there is much to say, by a body."""

    permission_classes = [CanRead]

    def asked(self, model: type[Model]) -> Model:
        """What is asked, from where the method has it."""
        if self.request.method == "POST":
            return read_body(model, cast(dict[str, Any], self.request.data))
        return read_query(model, self.request.query_params)


class RecallView(AskedView):
    """`GET` and `POST /recall`."""

    def get(self, request: Request) -> Response:
        """What memory holds about a query, each result with the terms of its score and its words."""
        asked = self.asked(RecallAsked)
        entity = self.access().entity(asked.entity)
        return Response(bodies.recall_body(entity, search(entity, search_request(entity, asked))))

    post = get


class ContextView(AskedView):
    """`GET` and `POST /context`."""

    def get(self, request: Request) -> Response:
        """What an agent should be told before a task, within its budgets, and the account of it."""
        asked = self.asked(ContextAsked)
        if asked.record_use:
            raise RequestRefused("record_use: is taken by POST alone.")
        entity = self.access().entity(asked.entity)
        return Response(bodies.context_body(entity, render_context(entity, context_request(entity, asked))))

    def post(self, request: Request) -> Response:
        """The same; with `record_use` what was handed out is stored, and the reply names it."""
        asked = self.asked(ContextAsked)
        if not asked.record_use:
            return self.get(request)
        require_scope(request, "write")
        entity = self.access().entity(asked.entity)
        context = render_context(entity, context_request(entity, asked))
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

    def post(self, request: Request) -> Response:
        """A cited reply to a question; it may ask the configured model."""
        asked = self.asked(AnswerAsked)
        entity = self.access().entity(asked.entity)
        return Response(bodies.answer_body(entity, recorded_answer(entity, question_of(asked))))


class TraceView(AskedView):
    """`GET /trace`."""

    def get(self, request: Request) -> Response:
        """What a record rests on, down to the words, and what rests on it."""
        asked = self.asked(TraceAsked)
        entity = self.access().entity(asked.entity)
        return Response(bodies.trace_body(entity, trace(entity, asked.id), uses(entity, asked.id)))
