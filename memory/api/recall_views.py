"""Recall, context, answer and trace."""

from __future__ import annotations

from typing import Any, TypeVar, cast

from pydantic import BaseModel
from rest_framework.request import Request
from rest_framework.response import Response

from memory.api import recall_bodies as bodies
from memory.api.authentication import CanRead
from memory.api.reading import read_body, read_query
from memory.api.requests import AnswerAsked, ContextAsked, RecallAsked, TraceAsked
from memory.api.translating import context_request, question_of, search_request
from memory.api.views import JsonView
from memory.recall.answering import answer_question
from memory.recall.context import render_context
from memory.recall.search import search
from memory.recall.trace import trace, uses

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
        entity = self.access().entity(asked.entity)
        return Response(bodies.context_body(entity, render_context(entity, context_request(entity, asked))))

    post = get


class AnswerView(AskedView):
    """`POST /answer`."""

    def post(self, request: Request) -> Response:
        """A cited reply to a question; it may ask the configured model."""
        asked = self.asked(AnswerAsked)
        entity = self.access().entity(asked.entity)
        return Response(bodies.answer_body(entity, answer_question(entity, question_of(asked))))


class TraceView(AskedView):
    """`GET /trace`."""

    def get(self, request: Request) -> Response:
        """What a record rests on, down to the words, and what rests on it."""
        asked = self.asked(TraceAsked)
        entity = self.access().entity(asked.entity)
        return Response(bodies.trace_body(entity, trace(entity, asked.id), uses(entity, asked.id)))
