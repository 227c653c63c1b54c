"""What was asked over HTTP, as the requests of recall."""

from __future__ import annotations

from dataclasses import replace

from memory.api.errors import RequestRefused
from memory.api.requests import (
    AnswerAsked,
    CompileAsked,
    ContextAsked,
    FilteredAsked,
    Narrowed,
    RecallAsked,
    SharedAsked,
)
from memory.ingest.access import Access
from memory.ingest.recalled import strip_recalled
from memory.models import Entity, Layer
from memory.recall.arms import Filters
from memory.recall.compiling import CompileRequest
from memory.recall.context import ContextRequest
from memory.recall.replay import find_session
from memory.recall.search import MEANING_MILLISECONDS, WORDS_MILLISECONDS
from memory.recall.search import Request as SearchRequest
from memory.recall.sharing import TooManySharedError, shared_with
from memory.recall.tokens import safety_for

LAYERS = {layer.label: layer for layer in Layer}


def memories_of(access: Access, asked: SharedAsked) -> tuple[Entity, tuple[Entity, ...]]:
    """The entity that is asked for, and those that are shared with it and wanted.

    What is shared with an entity is for the holders of its own keys: it is handed on to nobody.
    """
    entity = access.entity(asked.entity) if asked.shared else access.readable(asked.entity)
    try:
        return entity, shared_with(entity, asked.shared)
    except TooManySharedError as error:
        raise RequestRefused(f"shared: {error}.") from error


def filters_of(entity: Entity, asked: FilteredAsked) -> Filters:
    """What of the memory is looked at; UnknownSessionError for a session that is not there."""
    session = find_session(entity, asked.session).pk if asked.session is not None else None
    return replace(narrowed_by(asked), session=session)


def narrowed_by(asked: Narrowed) -> Filters:
    """The same without a session."""
    return Filters(
        layers=tuple(LAYERS[name] for name in asked.layers) or tuple(Layer),
        since=asked.since,
        until=asked.until,
        kinds=asked.kinds,
        topics=asked.topics,
    )


def search_request(entity: Entity, asked: RecallAsked) -> SearchRequest:
    """The search that `/recall` asks for."""
    return SearchRequest(
        query=asked.query,
        limit=asked.limit,
        filters=filters_of(entity, asked),
        languages=entity.languages_read,
        uses_words=asked.words,
        uses_meaning=asked.meaning,
        words_milliseconds=asked.words_milliseconds or WORDS_MILLISECONDS,
        meaning_milliseconds=asked.meaning_milliseconds or MEANING_MILLISECONDS,
    )


def context_request(entity: Entity, asked: ContextAsked) -> ContextRequest:
    """The context that `/context` asks for; RequestRefused for budgets that cannot be kept."""
    filters = filters_of(entity, asked)
    try:
        return ContextRequest(
            task=asked.task,
            budgets=asked.budgets,
            total=asked.total,
            rules_floor=asked.rules_floor,
            as_of=asked.as_of,
            filters=filters,
            include_evolution_record=asked.evolution_record,
            uses_meaning=asked.meaning,
            safety=1.0 if asked.model is None else safety_for(asked.model),
        )
    except ValueError as error:
        raise RequestRefused(str(error)) from error


def compile_request(asked: CompileAsked) -> CompileRequest:
    """The context of a turn that is asked for; RequestRefused for a budget that cannot be kept."""
    try:
        return CompileRequest(
            query=asked.query,
            budget=asked.budget,
            strategy=asked.strategy,
            depth=asked.depth,
            filters=narrowed_by(asked),
            rules_floor=asked.rules_floor,
            as_of=asked.as_of,
            uses_live=asked.live,
            safety=1.0 if asked.model is None else safety_for(asked.model),
        )
    except ValueError as error:
        raise RequestRefused(str(error)) from error


def question_of(asked: AnswerAsked) -> str:
    """The question; RequestRefused when nothing is asked in it."""
    if not strip_recalled(asked.question).strip():
        raise RequestRefused("question: has no words.")
    return asked.question
